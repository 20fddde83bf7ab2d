import { AppError, errorMessage } from "../core/errors.ts";
import { EXIT_CODES, EXIT_REASONS, type ExitReason } from "../core/exit-code.ts";
import { withoutMarks } from "../engine/task-mark.ts";
import { spawnDetachedSelf } from "../platform/spawn-detached-self.ts";
import type { RunRequest } from "./run-request.ts";

/** What a detached run answers once it is on record. Also what `run -d --output-format json` prints. */
export interface LaunchedRun {
  readonly v: 1;
  readonly task_id: string;
  readonly run_id: string;
  readonly session_id: string;
  readonly pid: number;
  readonly output_file: string;
  readonly events: string;
}

/** How long the run process may take until it is on record. */
const LAUNCH_TIMEOUT_MS = 10_000;
/** A worktree is made before that, and a large repository takes its time. */
const ISOLATED_LAUNCH_TIMEOUT_MS = 360_000;

/**
 * Starts this executable again as a detached run process and waits until its run has a durable record. Opens no state
 * itself: the run process alone owns its record.
 *
 * Throws an `AppError` with the run process's own words and reason when it did not get that far; it is gone then.
 *
 * @param params.onMessage what the run process had to say on stderr although it started
 */
export async function launchBackgroundRun(params: {
  readonly request: RunRequest;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onMessage: (text: string) => void;
}): Promise<LaunchedRun> {
  const timeoutMs = params.request.isolation === undefined ? LAUNCH_TIMEOUT_MS : ISOLATED_LAUNCH_TIMEOUT_MS;
  const child = await spawnDetachedSelf({
    args: ["run-process"],
    cwd: params.request.cwd,
    // More than 256 requests at once are possible only where this is set when the process starts.
    // What was handed to a process of its own is not ended with the task that started it.
    env: { ...withoutMarks(params.env), BUN_CONFIG_MAX_HTTP_REQUESTS: "4096" },
    input: JSON.stringify(params.request),
    timeoutMs,
  }).catch((error: unknown) => {
    throw new AppError("failed", `Cannot start the run: ${errorMessage(error)}`, { code: "launch_failed", cause: error });
  });
  if (child.type === "answered") {
    if (child.stderr !== "") params.onMessage(child.stderr);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the other side is this executable
    return JSON.parse(child.line) as LaunchedRun;
  }
  if (child.type === "timeout") {
    throw new AppError("failed", `Cannot start the run: its process gave no answer within ${timeoutMs / 1_000} s and was ended`, { code: "launch_timeout" });
  }
  const message = child.stderr.trim().replace(/^agent: /, "") || `its process ended with ${child.signal ?? `exit code ${child.exitCode ?? "unknown"}`} and no word`;
  throw new AppError(reasonFor(child.exitCode), message, { code: "launch_failed" });
}

/** A process that ended without an answer did not succeed, whatever its code says. */
function reasonFor(exitCode: number | null): ExitReason {
  return EXIT_REASONS.find((reason) => exitCode !== 0 && EXIT_CODES[reason] === exitCode) ?? "failed";
}
