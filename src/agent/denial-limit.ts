import type { StopReason } from "../core/agent.ts";
import type { PermissionDenial, Verdict } from "../core/permission.ts";

/**
 * How often one call, the same tool with the same input, may be refused in a run. An agent that has not understood it by
 * then would go on for as long as it is let.
 */
export const DENIALS_OF_ONE_CALL_MAX = 3;

export interface RefusedCall {
  readonly denial: PermissionDenial;
  readonly verdict: Verdict;
}

/** The first call that was refused as often as one may be; undefined where none was. */
export function callAtDenialLimit(refused: readonly RefusedCall[], max = DENIALS_OF_ONE_CALL_MAX): RefusedCall | undefined {
  const counts = new Map<string, number>();
  for (const call of refused) {
    const key = `${call.denial.tool} ${call.denial.inputDigest}`;
    const count = (counts.get(key) ?? 0) + 1;
    if (count >= max) return call;
    counts.set(key, count);
  }
  return undefined;
}

export function denialLimitStop({ denial, verdict }: RefusedCall): StopReason {
  const hint = verdict.flag === undefined ? "" : `; ${verdict.flag} would allow it`;
  return { type: "denial_limit", message: `Stopped: the same call of ${denial.tool} was refused ${DENIALS_OF_ONE_CALL_MAX} times: ${denial.reason}${hint}` };
}
