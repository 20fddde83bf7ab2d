import { expect, test } from "bun:test";
import { join } from "node:path";
import { createRecording } from "../../../src/runtime/cassette/recording.ts";
import { NO_WORK } from "../../../src/runtime/run-outcome.ts";
import type { RunEvent } from "../../../src/core/stream-event.ts";
import { tempDir } from "../../support/temp-dir.ts";

test("a recording that cannot be written to its end makes no success, and hides no other failure", () => {
  using directory = tempDir();
  const recording = createRecording({ path: join(directory.path, "t.cassette"), places: { cwd: "/a", home: "/b", tmp: "/c" }, env: {}, isResumed: false });
  const observer = recording.observe({});
  const progress: RunEvent = { v: 1, seq: 1, ts: 1, run_id: "r", task_id: "a1", parent_task_id: null, type: "task.progress", token_count: 0, tool_use_count: 0, recent_activities: [] };
  observer.onEvent?.(progress, "");
  expect(recording.outcome({ ...NO_WORK, reason: "ok" }).reason).toBe("ok");
  // Nothing can be written to a descriptor that is closed.
  recording.close();
  observer.onEvent?.(progress, "");
  expect(recording.outcome({ ...NO_WORK, reason: "ok" })).toMatchObject({ reason: "storage", error: { code: "EBADF" } });
  expect(recording.outcome({ ...NO_WORK, reason: "max_turns" }).reason).toBe("max_turns");
});
