import type { ToolUseBlock } from "../../core/message.ts";
import type { Verdict } from "../../core/permission.ts";
import type { RunResult } from "../../runtime/run-result.ts";

/** What a person must know about a run that is over, beside its answer: nothing for a plain success. */
export function describeOutcome(result: RunResult): string[] {
  const lines = result.warnings.map((warning) => warning);
  for (const child of result.children) {
    if (child.status !== "completed") lines.push(`Task ${child.task_id} (${child.type}) ended as ${child.status}; its output is in ${child.output_file}`);
  }
  if (result.status !== "completed") {
    lines.push(`${result.status === "killed" ? "Stopped" : "Failed"} (${result.exit.reason}): ${result.error?.message ?? "no reason was given"}`);
    if (result.result !== "") lines.push(`The last message was: ${result.result}`);
  }
  return lines;
}

/** One line on a refused call, with the flag that would have allowed it. */
export function describeDenial(call: ToolUseBlock, verdict: Verdict): string {
  const hint = verdict.flag === undefined ? "" : `; ${verdict.flag} would allow it`;
  return `Refused ${call.name}: ${verdict.reason}${hint}`;
}
