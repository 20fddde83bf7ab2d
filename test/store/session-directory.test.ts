import { expect, test } from "bun:test";
import { chmodSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { openSessionDirectory } from "../../src/store/session-directory.ts";
import { taskId } from "../support/sample-task.ts";
import { testState } from "../support/test-state.ts";
import { appErrorOf } from "../support/thrown.ts";

test("a session has its folders, for us alone, and the names of its files", () => {
  using state = testState();
  const session = openSessionDirectory(state.directory, "0199a-b_c");
  const path = join(state.path, "sessions", "0199a-b_c");
  expect(readdirSync(path).toSorted()).toEqual(["events", "results", "subagents"]);
  for (const folder of [".", "events", "results", "subagents"]) expect(statSync(join(path, folder)).mode & 0o777).toBe(0o700);
  expect(session).toMatchObject({ path, transcriptPath: join(path, "transcript.jsonl") });
  expect(session.eventsPath("run-1")).toBe(join(path, "events", "run-1.ndjson"));
  expect(session.logPath("run-1")).toBe(join(path, "run-1.log"));
  expect(session.subagentTranscriptPath(taskId("a00000000"))).toBe(join(path, "subagents", "agent-a00000000.jsonl"));
  session.close();
  openSessionDirectory(state.directory, "0199a-b_c").close();
});

test.each(["", ".", "..", "../x", "a/b", "-x", "x".repeat(65), "a\0b", "ä"])("%j is no session id, and nothing is created", async (id) => {
  using state = testState();
  expect((await appErrorOf(() => openSessionDirectory(state.directory, id))).reason).toBe("usage");
  expect(readdirSync(join(state.path, "sessions"))).toEqual([]);
});

test("a missing session is an error where none is to be created", async () => {
  using state = testState();
  expect((await appErrorOf(() => openSessionDirectory(state.directory, "none", { create: false }))).reason).toBe("storage");
  expect(readdirSync(join(state.path, "sessions"))).toEqual([]);
});

test("a folder that others may enter is refused, and no descriptor stays open", async () => {
  using state = testState();
  openSessionDirectory(state.directory, "session-1").close();
  const events = join(state.path, "sessions", "session-1", "events");
  chmodSync(events, 0o777);
  const before = readdirSync("/proc/self/fd").length;
  expect((await appErrorOf(() => openSessionDirectory(state.directory, "session-1"))).message).toContain(events);
  expect(readdirSync("/proc/self/fd")).toHaveLength(before);
});
