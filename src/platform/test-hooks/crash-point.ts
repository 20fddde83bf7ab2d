import { writeSync } from "node:fs";

/**
 * The steps before and after which a process can be made to crash: each is one where something becomes durable, or where
 * something outside this program has changed. Those that begin with `reaper` are passed by whoever cleans up behind a
 * dead run, all others by the run itself.
 */
export const CRASH_POINTS = [
  "owner-locked",
  "output-created",
  "before-task-commit",
  "after-task-commit",
  "before-answer",
  "after-answer",
  "process-started",
  "before-transcript-line",
  "after-transcript-line",
  "after-intent",
  "before-outcome",
  "after-outcome",
  "before-event",
  "after-event",
  "before-end-commit",
  "after-end-commit",
  "before-delivery-commit",
  "after-delivery-commit",
  "after-message-commit",
  "before-result",
  "after-result",
  "after-run-commit",
  "reaper-locked",
  "reaper-ended-processes",
  "reaper-after-end-commit",
  "reaper-before-event",
  "reaper-completed-events",
  "reaper-after-run-commit",
] as const;

export type CrashPoint = (typeof CRASH_POINTS)[number];

/**
 * Ends this process as `kill -9` does where `AGENT_TEST_CRASH_AT` names this point: `POINT` at the first pass, `POINT:N`
 * at the N-th. Says so on stderr first. Returns otherwise.
 */
export function crashPoint(point: CrashPoint): void {
  const [wanted, pass = "1"] = process.env["AGENT_TEST_CRASH_AT"]?.split(":") ?? [];
  if (wanted !== point) return;
  passes++;
  if (passes !== Number(pass)) return;
  writeSync(2, `Crash at ${point}, pass ${pass}\n`);
  process.kill(process.pid, "SIGKILL");
}

// Only one point counts in a process, and it counts all passes, whoever makes them.
let passes = 0;
