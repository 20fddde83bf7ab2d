import { expect, test } from "bun:test";
import { closeSync, mkdirSync, openSync, readFileSync, readlinkSync, renameSync, readdirSync, statSync, symlinkSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { AppError, systemErrorCode } from "../../src/core/errors.ts";
import type { WriteSync } from "../../src/platform/write-fully.ts";
import { openTaskOutputs } from "../../src/store/task-output.ts";
import { readTranscript } from "../../src/store/read-transcript.ts";
import { taskId } from "../support/sample-task.ts";
import { testState } from "../support/test-state.ts";
import { thrownBy } from "../support/thrown.ts";

const SHELL = taskId("b00000000");
const AGENT = taskId("a00000000");

test("output is appended to a file of ours", () => {
  using state = testState();
  const outputs = openTaskOutputs(state.directory, { bytesMax: 100 });
  const writer = outputs.create(SHELL);
  writer.write(Buffer.from("one "));
  writer.write(Buffer.from("two"));
  expect(outputs.path(SHELL)).toBe(join(state.path, "tasks", "b00000000.output"));
  expect(readFileSync(outputs.path(SHELL), "utf8")).toBe("one two");
  expect(statSync(outputs.path(SHELL)).mode & 0o777).toBe(0o600);
  expect([writer.bytesWritten, writer.bytesDropped, writer.failure]).toEqual([7, 0, undefined]);
  writer.close();
});

test("a taken name is EEXIST for files and links, and what stands there is left alone (V-204)", async () => {
  using state = testState();
  const outputs = openTaskOutputs(state.directory, { bytesMax: 100 });
  const victim = join(state.path, "victim");
  writeFileSync(victim, "precious");
  symlinkSync(victim, outputs.path(SHELL));
  expect(systemErrorCode(await thrownBy(() => outputs.create(SHELL)))).toBe("EEXIST");
  expect(systemErrorCode(await thrownBy(() => outputs.link(SHELL, "/elsewhere")))).toBe("EEXIST");
  expect(readFileSync(victim, "utf8")).toBe("precious");
  expect(readlinkSync(outputs.path(SHELL))).toBe(victim);
});

test("the output of an agent is a link to its transcript", () => {
  using state = testState();
  const outputs = openTaskOutputs(state.directory, { bytesMax: 100 });
  const transcript = join(state.path, "sessions", "s", "transcript.jsonl");
  outputs.link(AGENT, transcript);
  expect(readlinkSync(outputs.path(AGENT))).toBe(transcript);
});

test("a link that takes the place of the folder gets no file (V-208)", () => {
  using state = testState();
  const outputs = openTaskOutputs(state.directory, { bytesMax: 100 });
  const attacker = join(state.path, "attacker");
  mkdirSync(attacker);
  renameSync(join(state.path, "tasks"), join(state.path, "moved"));
  symlinkSync(attacker, join(state.path, "tasks"));
  outputs.create(SHELL).close();
  expect(readdirSync(attacker)).toEqual([]);
  expect(readdirSync(join(state.path, "moved"))).toEqual(["b00000000.output"]);
});

test("what is beyond the cap is counted, the file says so, and no character is cut (V-223)", () => {
  using state = testState();
  const outputs = openTaskOutputs(state.directory, { bytesMax: 10 });
  const writer = outputs.create(SHELL);
  writer.write(Buffer.from("12345678"));
  writer.write(Buffer.from("€uro"));
  const note = "\n[output cut here: more than 10 bytes]\n";
  expect(readFileSync(outputs.path(SHELL), "utf8")).toBe(`12345678${note}`);
  writer.write(Buffer.from("more"));
  expect(readFileSync(outputs.path(SHELL), "utf8")).toBe(`12345678${note}`);
  expect([writer.bytesWritten, writer.bytesDropped]).toEqual([8 + note.length, 6 + 4]);
  expect(writer.failure).toBeUndefined();
  writer.close();
});

test("output that fills the cap exactly is whole and bears no note", () => {
  using state = testState();
  const outputs = openTaskOutputs(state.directory, { bytesMax: 4 });
  const writer = outputs.create(SHELL);
  writer.write(Buffer.from("😀"));
  expect(readFileSync(outputs.path(SHELL), "utf8")).toBe("😀");
  expect(writer.bytesDropped).toBe(0);
  writer.close();
});

test("a system that takes few bytes at a time gets all of them (V-220)", () => {
  using state = testState();
  const outputs = openTaskOutputs(state.directory, { bytesMax: 100, write: (fd, bytes, offset) => writeSync(fd, bytes, offset, 1) });
  const writer = outputs.create(SHELL);
  writer.write(Buffer.from("a line\n"));
  expect(readFileSync(outputs.path(SHELL), "utf8")).toBe("a line\n");
  expect(writer.bytesWritten).toBe(7);
  writer.close();
});

test("a full disk is one failure, and the rest is counted (V-214, V-216)", () => {
  using state = testState();
  const full = openSync("/dev/full", "w");
  let calls = 0;
  // The first five bytes still find room.
  const write: WriteSync = (fd, bytes, offset, length) => (++calls === 1 ? writeSync(fd, bytes, offset, 5) : writeSync(full, bytes, offset, length));
  const writer = openTaskOutputs(state.directory, { bytesMax: 1_000_000, write }).create(SHELL);
  for (let line = 0; line < 10_000; line++) writer.write(Buffer.from("a line of text\n"));
  const { failure } = writer;
  if (!(failure instanceof AppError)) throw new Error("Expected an AppError");
  expect([failure.reason, failure.code]).toEqual(["storage", "ENOSPC"]);
  expect(failure.message).toBe('Cannot write the output of task "b00000000": the disk is full (ENOSPC)');
  expect(writer.failure).toBe(failure);
  expect(calls).toBe(2);
  expect([writer.bytesWritten, writer.bytesDropped]).toEqual([5, 149_995]);
  writer.close();
  closeSync(full);
});

test.each(["EIO", "EDQUOT", "EFBIG"])("%s is named in the failure", (code) => {
  using state = testState();
  const write = () => {
    throw Object.assign(new Error(code), { code });
  };
  const writer = openTaskOutputs(state.directory, { bytesMax: 100, write }).create(SHELL);
  writer.write(Buffer.from("x"));
  expect(writer.failure).toMatchObject({ reason: "storage", code, message: expect.stringContaining(code) });
  writer.close();
});

test("what comes after the end is dropped", () => {
  using state = testState();
  const writer = openTaskOutputs(state.directory, { bytesMax: 100 }).create(SHELL);
  writer.close();
  writer.close();
  writer.write(Buffer.from("late"));
  expect([writer.bytesWritten, writer.bytesDropped]).toEqual([0, 4]);
});

test("where the system refuses longer files the process goes on, and no transcript line stays torn", async () => {
  using state = testState();
  // 64 blocks of 512 bytes, or of 1,024 in some shells.
  const command = ["sh", "-c", 'ulimit -f 64; exec "$@"', "sh", process.execPath, join(import.meta.dir, "../fixtures/write-output.ts"), state.path];
  const child = Bun.spawn(command, { stdout: "pipe", stderr: "inherit" });
  const report: unknown = JSON.parse(await child.stdout.text());
  const size = statSync(join(state.path, "tasks", "b00000000.output")).size;
  expect(size).toBeGreaterThan(0);
  expect(report).toEqual({
    bytesWritten: size,
    bytesDropped: 1_000_000 - size,
    failure: expect.stringContaining("EFBIG"),
    codes: ["EFBIG"],
  });
  const transcript = join(state.path, "sessions", "session-1", "transcript.jsonl");
  const entries = readTranscript(transcript);
  expect(entries.length).toBeGreaterThan(10);
  expect(entries.map(({ uuid }) => uuid).slice(0, -1)).toEqual(entries.slice(1).map(({ parentUuid }) => String(parentUuid)));
});
