import type { ToolResultBlock } from "../core/message.ts";
import { runToolCalls, type RunCalls } from "./run-tool-calls.ts";

/**
 * Runs no more calls than there is a budget for. Those beyond it are answered without being run.
 *
 * @param budget.take takes as many calls as are left, at most `count`, and returns how many
 * @param budget.onExceeded ends the loop; called before its turn has ended
 * @param runCalls what answers the others; they run unless given
 */
export function limitCalls(
  budget: { readonly take: (count: number) => number; readonly onExceeded: () => void },
  runCalls: RunCalls = runToolCalls,
): RunCalls {
  return async function* limited(calls, params) {
    const taken = budget.take(calls.length);
    const message = yield* runCalls(calls.slice(0, taken), params);
    const left = calls.slice(taken);
    if (left.length === 0) return message;
    budget.onExceeded();
    return { ...message, content: [...message.content, ...left.map(({ id }) => notRun(id))] };
  };
}

function notRun(id: string): ToolResultBlock {
  return { type: "tool_result", tool_use_id: id, content: "Not run: the tool calls of this run are used up", is_error: true };
}
