/**
 * Why a run ended, and the exit status that says so. One table for the process, for `agent wait`, for `run.result` and
 * for `agent schema exit-codes`; the numbers are a public contract.
 */
export const EXIT_CODES = {
  ok: 0,
  failed: 1,
  internal: 1,
  owner_lost: 1,
  usage: 2,
  permission_denied: 3,
  denial_limit: 3,
  budget: 4,
  max_turns: 5,
  stalled: 6,
  not_found: 7,
  conflict: 8,
  auth: 9,
  api_unavailable: 10,
  schema: 11,
  blocked: 12,
  child_failed: 13,
  storage: 14,
  replay_miss: 15,
  retry_later: 75,
  timeout: 124,
  hangup: 129,
  interrupted: 130,
  killed: 137,
  epipe: 141,
  terminated: 143,
} as const;

export type ExitReason = keyof typeof EXIT_CODES;
export type ExitCode = (typeof EXIT_CODES)[ExitReason];

// The keys of an object literal are exactly its type's.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.keys knows only strings
export const EXIT_REASONS = Object.keys(EXIT_CODES) as readonly ExitReason[];

/** How something ended: the number and the reason never disagree. */
export interface Exit {
  readonly code: ExitCode;
  readonly reason: ExitReason;
}

export function exitFor(reason: ExitReason): Exit {
  return { code: EXIT_CODES[reason], reason };
}

/** The terminal status that goes with a reason. Signals and stops are `killed`; every other reason but `ok` is `failed`. */
export function statusFor(reason: ExitReason): "completed" | "failed" | "killed" {
  switch (reason) {
    case "ok":
      return "completed";
    case "killed":
    case "interrupted":
    case "terminated":
    case "hangup":
    case "epipe":
      return "killed";
    default:
      return "failed";
  }
}
