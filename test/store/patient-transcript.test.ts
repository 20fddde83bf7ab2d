import { expect, test } from "bun:test";
import { rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { WriteSync } from "../../src/platform/write-fully.ts";
import { createPatientTranscript } from "../../src/store/patient-transcript.ts";
import { readTranscript } from "../../src/store/read-transcript.ts";
import { openSessionDirectory, TRANSCRIPT_NAME } from "../../src/store/session-directory.ts";
import { createStorageRetry } from "../../src/store/storage-retry.ts";
import { openTranscript } from "../../src/store/transcript.ts";
import { taskId } from "../support/sample-task.ts";
import { testState } from "../support/test-state.ts";
import { appErrorOf } from "../support/thrown.ts";

function open(options: { readonly write?: WriteSync; readonly limitMs?: number } = {}) {
  const state = testState();
  const session = openSessionDirectory(state.directory, "session-1");
  const transcript = openTranscript({
    directory: session.root,
    name: TRANSCRIPT_NAME,
    sessionId: "session-1",
    agentId: taskId("a00000000"),
    isSidechain: false,
    ...(options.write === undefined ? {} : { write: options.write }),
  });
  const storage = createStorageRetry({ limitMs: options.limitMs ?? 5_000, onFull: () => undefined, onWait: () => undefined, onGiveUp: () => undefined });
  const patient = createPatientTranscript(transcript, storage);
  return {
    state,
    patient,
    path: session.transcriptPath,
    [Symbol.dispose]() {
      patient.close();
      session.close();
      state[Symbol.dispose]();
    },
  };
}

test("while the disk is full entries wait, and then come whole, once, and in their order (V-250)", async () => {
  let room = 10;
  const write: WriteSync = (fd, bytes, offset, length) => {
    if (room === 0) throw Object.assign(new Error("full"), { code: "ENOSPC" });
    const count = writeSync(fd, bytes, offset, Math.min(room, length));
    room -= count;
    return count;
  };
  using opened = open({ write });
  const appended = Promise.all(["one", "two", "three"].map((text) => opened.patient.append({ type: "system", text })));
  await Bun.sleep(20);
  room = 1_000_000;
  const entries = await appended;
  const read = readTranscript(opened.path);
  expect(read.map((entry) => entry["text"])).toEqual(["one", "two", "three"]);
  expect(read.map(({ uuid }) => uuid)).toEqual(entries.map(({ uuid }) => uuid));
  expect(read.map(({ parentUuid }) => parentUuid)).toEqual([null, entries[0]?.uuid ?? "", entries[1]?.uuid ?? ""]);
});

test("an entry that cannot be written does not keep the next one", async () => {
  let isFull = true;
  using opened = open({
    limitMs: 20,
    write(fd, bytes, offset, length) {
      if (isFull) throw Object.assign(new Error("full"), { code: "ENOSPC" });
      return writeSync(fd, bytes, offset, length);
    },
  });
  expect((await appErrorOf(() => opened.patient.append({ type: "system", text: "lost" }))).code).toBe("ENOSPC");
  isFull = false;
  await opened.patient.append({ type: "system", text: "kept" });
  expect(readTranscript(opened.path).map((entry) => entry["text"])).toEqual(["kept"]);
});

test("a transcript that was removed fails at once: what is written there is lost", async () => {
  using opened = open();
  await opened.patient.append({ type: "system" });
  rmSync(join(opened.state.path, "sessions", "session-1"), { recursive: true });
  const error = await appErrorOf(() => opened.patient.append({ type: "system" }));
  expect([error.reason, error.code]).toEqual(["storage", "removed"]);
  expect(error.message).toContain("it was removed while it was written");
});
