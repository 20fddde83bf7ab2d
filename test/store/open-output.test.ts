import { expect, test } from "bun:test";
import { linkSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TaskOutputReader } from "../../src/core/task-output.ts";
import { openOutput } from "../../src/store/open-output.ts";
import { openSessionDirectory } from "../../src/store/session-directory.ts";
import { openTaskOutputs } from "../../src/store/task-output.ts";
import { taskId } from "../support/sample-task.ts";
import { testState } from "../support/test-state.ts";
import { appErrorOf } from "../support/thrown.ts";

const ID = taskId("a00000000");

function textOf(reader: TaskOutputReader): string {
  const { data } = reader.read({ offset: 0, bytesMax: 1_000 });
  reader.close();
  return Buffer.from(data).toString();
}

test("the output of a shell is its file", () => {
  using state = testState();
  const writer = openTaskOutputs(state.directory, { bytesMax: 100 }).create(ID);
  writer.write(Buffer.from("output"));
  expect(textOf(openOutput(state.directory, ID))).toBe("output");
  writer.close();
});

test("the output of an agent is its transcript, of a subagent too", () => {
  using state = testState();
  const session = openSessionDirectory(state.directory, "session-1");
  const outputs = openTaskOutputs(state.directory, { bytesMax: 100 });
  const other = taskId("a11111111");
  writeFileSync(session.transcriptPath, "root");
  writeFileSync(session.subagentTranscriptPath(other), "sub");
  outputs.link(ID, session.transcriptPath);
  outputs.link(other, session.subagentTranscriptPath(other));
  const before = readdirSync("/proc/self/fd").length;
  for (const [id, text] of [[ID, "root"], [other, "sub"]] as const) {
    expect(textOf(openOutput(state.directory, id))).toBe(text);
  }
  expect(readdirSync("/proc/self/fd")).toHaveLength(before);
  session.close();
});

test("a task without output is not found", async () => {
  using state = testState();
  expect((await appErrorOf(() => openOutput(state.directory, ID))).reason).toBe("not_found");
});

const PLANTED: readonly [string, (target: string, state: string) => string][] = [
  ["out of the folder of sessions", () => "/etc/passwd"],
  ["out of it through its parent", (_target, state) => `${state}/sessions/../ledger.db`],
  ["to the folder itself", (_target, state) => `${state}/sessions`],
  ["to a file of it that is no session's", (_target, state) => `${state}/sessions/file`],
  ["to a relative place", () => "sessions/session-1/transcript.jsonl"],
  ["through a second link", (target, state) => (symlinkSync("/etc/passwd", target), `${state}/sessions/session-1/transcript.jsonl`)],
  ["through a folder that is a link", (_target, state) => (symlinkSync("/etc", `${state}/sessions/link`), `${state}/sessions/link/passwd`)],
  ["to a second name of a file", (target, state) => (writeFileSync(`${state}/victim`, ""), linkSync(`${state}/victim`, target), target)],
];

test.each(PLANTED)("a link %s is refused", async (_name, plant) => {
  using state = testState();
  mkdirSync(join(state.path, "sessions", "session-1"), { mode: 0o700 });
  const target = plant(join(state.path, "sessions", "session-1", "transcript.jsonl"), state.path);
  symlinkSync(target, join(state.path, "tasks", `${ID}.output`));
  const before = readdirSync("/proc/self/fd").length;
  const error = await appErrorOf(() => openOutput(state.directory, ID));
  expect(error.reason).toBe("storage");
  expect(readdirSync("/proc/self/fd")).toHaveLength(before);
});
