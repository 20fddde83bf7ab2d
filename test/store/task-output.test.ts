import { expect, test } from "bun:test";
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, readlinkSync, renameSync, statSync, symlinkSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { AppError, systemErrorCode } from "../../src/core/errors.ts";
import type { WriteSync } from "../../src/platform/write-fully.ts";
import type { BudgetReached } from "../../src/store/output-budget.ts";
import { outputMark } from "../../src/store/output-mark.ts";
import { openTaskOutputs } from "../../src/store/task-output.ts";
import { readTranscript } from "../../src/store/read-transcript.ts";
import { keptOutput } from "../support/kept-output.ts";
import { taskId } from "../support/sample-task.ts";
import { testState } from "../support/test-state.ts";
import { thrownBy } from "../support/thrown.ts";

const SHELL = taskId("b00000000");
const OTHER = taskId("b11111111");
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
  const outputs = openTaskOutputs(state.directory, { bytesMax: 16 });
  const attacker = join(state.path, "attacker");
  mkdirSync(attacker);
  const writer = outputs.create(SHELL);
  renameSync(join(state.path, "tasks"), join(state.path, "moved"));
  symlinkSync(attacker, join(state.path, "tasks"));
  writer.write(Buffer.from("0123456789"));
  outputs.create(OTHER).close();
  writer.close();
  expect(readdirSync(attacker)).toEqual([]);
  expect(readdirSync(join(state.path, "moved")).toSorted()).toEqual(["b00000000.output", "b00000000.output.8", "b11111111.output"]);
});

test("half of the quota is for the beginning and half for the end, in files of their own; the oldest goes", () => {
  using state = testState();
  const outputs = openTaskOutputs(state.directory, { bytesMax: 64 });
  const writer = outputs.create(SHELL);
  const files = () => Object.fromEntries(readdirSync(join(state.path, "tasks")).map((name) => [name, readFileSync(join(state.path, "tasks", name), "utf8")]));
  writer.write(Buffer.from("a".repeat(32)));
  expect(files()).toEqual({ "b00000000.output": "a".repeat(32) });
  writer.write(Buffer.from("b".repeat(12)));
  const head = `${"a".repeat(32)}\n[Output cut here after 32 bytes; what is kept of the rest: agent logs --offset 32 b00000000]\n`;
  expect(files()).toEqual({ "b00000000.output": head, "b00000000.output.32": "bbbbbbbb", "b00000000.output.40": "bbbb" });
  writer.write(Buffer.from("c".repeat(20)));
  expect([writer.bytesWritten, writer.bytesDropped]).toEqual([64, 0]);
  writer.write(Buffer.from("d"));
  expect(Object.keys(files()).toSorted()).toEqual(["b00000000.output", "b00000000.output.40", "b00000000.output.48", "b00000000.output.56", "b00000000.output.64"]);
  expect([writer.bytesWritten, writer.bytesDropped]).toEqual([32 + 25, 8]);
  expect(keptOutput(state.directory, SHELL)).toEqual([
    { start: 0, text: "a".repeat(32) },
    { start: 40, text: `bbbb${"c".repeat(20)}d` },
  ]);
  expect(readdirSync(join(state.path, "tasks")).map((name) => statSync(join(state.path, "tasks", name)).mode & 0o777)).toEqual(Array(5).fill(0o600));
  writer.close();
});

test("cuts fall between characters, and output that fills the quota is whole (A09)", () => {
  using state = testState();
  const outputs = openTaskOutputs(state.directory, { bytesMax: 64 });
  const writer = outputs.create(SHELL);
  for (let index = 0; index < 16; index++) writer.write(Buffer.from("😀"));
  expect(keptOutput(state.directory, SHELL)).toEqual([{ start: 0, text: "😀".repeat(16) }]);
  for (let index = 0; index < 1_000; index++) writer.write(Buffer.from("€uro"));
  const [head, tail] = keptOutput(state.directory, SHELL);
  expect(head).toEqual({ start: 0, text: "😀".repeat(8) });
  expect(tail?.text).toMatch(/^(€uro|uro|ro|o)(€uro)+$/);
  expect((tail?.start ?? 0) + Buffer.byteLength(tail?.text ?? "")).toBe(64 + 6_000);
  writer.close();
});

test("one huge piece leaves its beginning and its end (V-223)", () => {
  using state = testState();
  const writer = openTaskOutputs(state.directory, { bytesMax: 1_000 }).create(SHELL);
  const digits = Array.from({ length: 100_000 }, (_, index) => index % 10).join("");
  writer.write(Buffer.from(digits));
  expect(keptOutput(state.directory, SHELL)).toEqual([
    { start: 0, text: digits.slice(0, 500) },
    { start: 99_500, text: digits.slice(99_500) },
  ]);
  expect([writer.bytesWritten, writer.bytesDropped]).toEqual([1_000, 99_000]);
  writer.close();
});

test("output that ends with the words of a mark is output", () => {
  using state = testState();
  const outputs = openTaskOutputs(state.directory, { bytesMax: 10_000 });
  for (const [id, text] of [[SHELL, `x${outputMark(SHELL, 5)}`], [OTHER, `x${outputMark(SHELL, 1)}`]] as const) {
    const writer = outputs.create(id);
    writer.write(Buffer.from(text));
    writer.close();
    expect(keptOutput(state.directory, id)).toEqual([{ start: 0, text }]);
  }
});

test("all outputs of a run share a quota; what is beyond it is lost, counted, and told of once", () => {
  using state = testState();
  const reached: BudgetReached[] = [];
  const outputs = openTaskOutputs(state.directory, { bytesMax: 1_000, runBytesMax: 100, onRunLimit: (event) => reached.push(event) });
  const [one, other] = [outputs.create(SHELL), outputs.create(OTHER)];
  one.write(Buffer.from("a".repeat(70)));
  other.write(Buffer.from("b".repeat(20)));
  expect(reached).toEqual([]);
  other.write(Buffer.from("€".repeat(5)));
  expect(reached).toEqual([{ id: OTHER, bytesKept: 99, bytesLost: 6 }]);
  other.write(Buffer.from("c"));
  one.write(Buffer.from("dd"));
  expect(reached).toHaveLength(1);
  expect([one.bytesWritten, one.bytesDropped, one.failure]).toEqual([71, 1, undefined]);
  expect([other.bytesWritten, other.bytesDropped, other.failure]).toEqual([29, 7, undefined]);
  expect(keptOutput(state.directory, OTHER)).toEqual([{ start: 0, text: `${"b".repeat(20)}€€€` }]);
  one.close();
  other.close();
});

test("a task that has an end of its own goes on with it when the quota of the run is spent", () => {
  using state = testState();
  const outputs = openTaskOutputs(state.directory, { bytesMax: 64, runBytesMax: 64 });
  const writer = outputs.create(SHELL);
  for (let index = 0; index < 100; index++) writer.write(Buffer.from("0123456789abcdef"));
  const other = outputs.create(OTHER);
  other.write(Buffer.from("x".repeat(32)));
  writer.write(Buffer.from("the end"));
  expect(keptOutput(state.directory, SHELL).at(-1)?.text).toEndWith("the end");
  writer.close();
  other.close();
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

test("a full disk is one failure, no character is torn, and the rest is counted (V-214, V-216)", () => {
  using state = testState();
  const full = openSync("/dev/full", "w");
  const failures: AppError[] = [];
  let calls = 0;
  // The first five bytes still find room.
  const write: WriteSync = (fd, bytes, offset, length) => (++calls === 1 ? writeSync(fd, bytes, offset, 5) : writeSync(full, bytes, offset, length));
  const writer = openTaskOutputs(state.directory, { bytesMax: 1_000_000, write, onFailure: (failure) => failures.push(failure) }).create(SHELL);
  for (let line = 0; line < 10_000; line++) writer.write(Buffer.from("ab€€€ of text\n"));
  expect(failures).toHaveLength(1);
  expect(failures[0]).toMatchObject({ reason: "storage", code: "ENOSPC", message: 'Cannot write the output of task "b00000000": the disk is full (ENOSPC)' });
  expect(writer.failure).toBe(failures[0]);
  expect(calls).toBe(2);
  expect([writer.bytesWritten, writer.bytesDropped]).toEqual([5, 199_995]);
  expect(keptOutput(state.directory, SHELL)).toEqual([{ start: 0, text: "ab€" }]);
  writer.close();
  closeSync(full);
});

test("what was written of a character before the disk was full is taken back", () => {
  using state = testState();
  let calls = 0;
  const write: WriteSync = (fd, bytes, offset) => {
    if (++calls === 1) return writeSync(fd, bytes, offset, 4);
    throw Object.assign(new Error("full"), { code: "ENOSPC" });
  };
  const writer = openTaskOutputs(state.directory, { bytesMax: 1_000, write }).create(SHELL);
  writer.write(Buffer.from("ab€"));
  expect([writer.bytesWritten, writer.bytesDropped]).toEqual([2, 3]);
  expect(keptOutput(state.directory, SHELL)).toEqual([{ start: 0, text: "ab" }]);
  writer.close();
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

test("a flood keeps few descriptors open", () => {
  using state = testState();
  const before = readdirSync("/proc/self/fd").length;
  const writer = openTaskOutputs(state.directory, { bytesMax: 1_000 }).create(SHELL);
  for (let index = 0; index < 1_000; index++) writer.write(Buffer.from("a line of the flood\n"));
  expect(readdirSync("/proc/self/fd").length).toBeLessThanOrEqual(before + 1);
  writer.close();
  expect(readdirSync("/proc/self/fd")).toHaveLength(before);
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
