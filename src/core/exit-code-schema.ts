import { z } from "zod";
import { EXIT_CODES, EXIT_REASONS, type ExitReason } from "./exit-code.ts";
import { lazySchema } from "./schema.ts";

/** Every pair of exit status and reason that there is, each with what it means. */
export const exitCodeSchema = lazySchema("exitCode", () => {
  const [first, ...rest] = EXIT_REASONS.map((reason) =>
    z.object({ code: z.literal(EXIT_CODES[reason]), reason: z.literal(reason) }).describe(MEANINGS[reason]),
  );
  return first === undefined ? z.never() : z.discriminatedUnion("reason", [first, ...rest]);
});

const MEANINGS: Readonly<Record<ExitReason, string>> = {
  ok: "The task and everything that it had to wait for succeeded",
  failed: "The task failed",
  internal: "A defect of the program ended it",
  owner_lost: "The process that owned the task vanished",
  usage: "A flag, a command, an id or a configuration file is wrong, or the feature is not in this build",
  permission_denied: "A call was denied that the run could not do without, or that was to end it",
  denial_limit: "Too many calls were denied",
  budget: "The limit of money, tokens or tool calls was reached",
  max_turns: "The limit of turns was reached",
  stalled: "Nothing happened for too long",
  not_found: "There is no such task, run or session",
  conflict: "Something stands in the way: the task is not running, the name is taken, another process holds the lock",
  auth: "Credentials are missing or were rejected",
  api_unavailable: "The model could not be reached after all attempts, or the conversation is too long for it",
  schema: "The answer did not have the form that was asked for",
  blocked: "A check held the result back",
  child_failed: "The answer is there, but work that counts did not end",
  storage: "What must be recorded cannot be written or read",
  replay_miss: "The recording has no such request",
  retry_later: "A limit of the service resets later than the run may wait",
  timeout: "The time limit was reached",
  hangup: "The terminal went away",
  interrupted: "The user interrupted it",
  killed: "It was stopped on request",
  epipe: "The reader of the output went away",
  terminated: "A signal asked it to end",
};
