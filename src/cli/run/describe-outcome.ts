import type { ToolUseBlock } from "../../core/message.ts";
import type { Verdict } from "../../core/permission.ts";
import type { RunResult } from "../../runtime/run-result.ts";
import { describeWorktree } from "./describe-worktree.ts";

/**
 * What a person must know about a run that is over, beside its answer: nothing for a plain success.
 *
 * @param known.told warnings that they have read already
 * @param known.isMessageShown whether they have seen every message while it came
 */
export function describeOutcome(
  result: RunResult,
  known: { readonly told: readonly string[]; readonly isMessageShown: boolean },
): { readonly warnings: readonly string[]; readonly failure: readonly string[] } {
  const children = result.children.filter((child) => child.status !== "completed");
  return {
    warnings: [
      ...result.warnings.filter((warning) => !known.told.includes(warning)),
      ...children.map((child) => `Task ${child.task_id} (${child.type}) ended as ${child.status}; its output is in ${child.output_file}`),
      ...describeWorktree(result),
    ],
    failure: result.status === "completed" ? [] : describeFailure(result, known),
  };
}

function describeFailure(result: RunResult, { isMessageShown }: { readonly isMessageShown: boolean }): string[] {
  const how = result.status === "killed" ? "Stopped" : "Failed";
  const lines = [`${how} (${result.exit.reason}): ${result.error?.message ?? "no reason was given"}`];
  if (result.result !== "" && !isMessageShown) lines.push(`The last message was: ${result.result}`);
  return lines;
}

/** One line on a refused call, with the flag that would have allowed it. */
export function describeDenial(call: ToolUseBlock, verdict: Verdict): string {
  const hint = verdict.flag === undefined ? "" : `; ${verdict.flag} would allow it`;
  return `Refused ${call.name}: ${verdict.reason}${hint}`;
}
