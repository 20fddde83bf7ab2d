import { expect, test } from "bun:test";
import { appendFileSync, closeSync, openSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { userText } from "../../src/core/message.ts";
import type { WriteSync } from "../../src/platform/write-fully.ts";
import { readTranscript } from "../../src/store/read-transcript.ts";
import { openTranscript, type Transcript } from "../../src/store/transcript.ts";
import { taskId } from "../support/sample-task.ts";
import { testState } from "../support/test-state.ts";
import { appErrorOf } from "../support/thrown.ts";

const AGENT = taskId("a00000000");
type State = ReturnType<typeof testState>;

function open(state: State, options: { readonly write?: WriteSync; readonly now?: () => number } = {}): Transcript {
  return openTranscript({ directory: state.directory.root, name: "t.jsonl", sessionId: "session-1", agentId: AGENT, isSidechain: true, ...options });
}

function pathIn(state: State): string {
  return join(state.path, "t.jsonl");
}

function uuids(path: string): [string | null, string][] {
  return readTranscript(path).map(({ parentUuid, uuid }) => [parentUuid, uuid]);
}

test("each entry is one line, complete, and linked to the one before (S-066)", () => {
  using state = testState();
  const transcript = open(state, { now: () => 0 });
  expect(transcript.lastUuid).toBeNull();
  const first = transcript.append({ type: "user", message: userText("hi\nthere") });
  const second = transcript.append({ type: "assistant", message: { role: "assistant", content: [] }, requestId: "r" });
  expect(first).toEqual({
    type: "user",
    message: userText("hi\nthere"),
    uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    parentUuid: null,
    sessionId: "session-1",
    agentId: AGENT,
    isSidechain: true,
    timestamp: "1970-01-01T00:00:00.000Z",
  });
  expect(second).toMatchObject({ parentUuid: first.uuid, requestId: "r" });
  expect(transcript.lastUuid).toBe(second.uuid);
  transcript.sync();
  transcript.close();
  expect(readFileSync(pathIn(state), "utf8").split("\n")).toHaveLength(3);
  expect(statSync(pathIn(state)).mode & 0o777).toBe(0o600);
  expect(readTranscript(pathIn(state))).toEqual([first, second]);
});

test("each line is one write", () => {
  using state = testState();
  const lengths: number[] = [];
  const transcript = open(state, {
    write(fd, bytes, offset, length) {
      lengths.push(length);
      return writeSync(fd, bytes, offset, length);
    },
  });
  for (const size of [1, 10_000, 300_000]) transcript.append({ type: "system", text: "x".repeat(size) });
  expect(lengths).toHaveLength(3);
  transcript.close();
  expect(uuids(pathIn(state))).toHaveLength(3);
});

test("the chain goes on when the transcript is opened again", () => {
  using state = testState();
  const first = open(state);
  const { uuid } = first.append({ type: "user", message: userText("x".repeat(200_000)) });
  first.close();
  const second = open(state);
  expect(second.lastUuid).toBe(uuid);
  expect(second.append({ type: "system" }).parentUuid).toBe(uuid);
  second.close();
});

test("a torn last line does not count and is cut off before the next one (S-033)", () => {
  using state = testState();
  const before = open(state);
  before.append({ type: "user", message: userText("one") });
  const two = before.append({ type: "user", message: userText("two") });
  before.append({ type: "user", message: userText("three 😀") });
  before.close();
  truncateSync(pathIn(state), statSync(pathIn(state)).size - 10);
  expect(uuids(pathIn(state))).toHaveLength(2);

  const after = open(state);
  expect(after.lastUuid).toBe(two.uuid);
  const next = after.append({ type: "user", message: userText("four") });
  after.close();
  const chain = uuids(pathIn(state));
  expect(chain).toHaveLength(3);
  expect(chain[2]).toEqual([two.uuid, next.uuid]);
});

test("a transcript that is nothing but a torn line starts anew", () => {
  using state = testState();
  writeFileSync(pathIn(state), '{"type":"user","uu');
  expect(readTranscript(pathIn(state))).toEqual([]);
  const transcript = open(state);
  expect(transcript.append({ type: "system" }).parentUuid).toBeNull();
  transcript.close();
  expect(uuids(pathIn(state))).toHaveLength(1);
});

test("a line that the disk had no room for is no part of it, and the next one is whole", async () => {
  using state = testState();
  const full = openSync("/dev/full", "w");
  let room = Number.POSITIVE_INFINITY;
  const transcript = open(state, {
    write(fd, bytes, offset, length) {
      if (room === 0) return writeSync(full, bytes, offset, length);
      const written = writeSync(fd, bytes, offset, Math.min(room, length));
      room -= written;
      return written;
    },
  });
  const one = transcript.append({ type: "user", message: userText("one") });
  room = 20;
  const error = await appErrorOf(() => transcript.append({ type: "user", message: userText("two") }));
  expect([error.reason, error.code]).toEqual(["storage", "ENOSPC"]);
  expect(transcript.lastUuid).toBe(one.uuid);
  room = Number.POSITIVE_INFINITY;
  const three = transcript.append({ type: "user", message: userText("three") });
  transcript.close();
  closeSync(full);
  expect(uuids(pathIn(state))).toEqual([
    [null, one.uuid],
    [one.uuid, three.uuid],
  ]);
});

test("only well-formed Unicode is written", () => {
  using state = testState();
  const transcript = open(state);
  transcript.append({ type: "user", message: userText("half \ud83d pair"), "k\udc00": "\udfff" });
  transcript.close();
  const text = readFileSync(pathIn(state), "utf8");
  expect(text).toContain("half \ufffd pair");
  expect(text).not.toMatch(/\\ud[89a-f]/);
  expect(readTranscript(pathIn(state))).toMatchObject([{ "k\ufffd": "\ufffd" }]);
});

test("a damaged line in the middle is an error that names it", async () => {
  using state = testState();
  const transcript = open(state);
  transcript.append({ type: "system" });
  transcript.close();
  appendFileSync(pathIn(state), "not JSON\n");
  const error = await appErrorOf(() => readTranscript(pathIn(state)));
  expect([error.reason, error.code]).toEqual(["storage", "damaged_transcript"]);
  expect(error.message).toContain(`line 2 of "${pathIn(state)}"`);
  expect((await appErrorOf(() => open(state))).code).toBe("damaged_transcript");
});

test("a link in the place of a transcript is neither written nor read", async () => {
  using state = testState();
  const victim = join(state.path, "victim");
  writeFileSync(victim, "precious\n");
  symlinkSync(victim, pathIn(state));
  expect((await appErrorOf(() => open(state))).reason).toBe("storage");
  expect((await appErrorOf(() => readTranscript(pathIn(state)))).reason).toBe("storage");
  expect(readFileSync(victim, "utf8")).toBe("precious\n");
});
