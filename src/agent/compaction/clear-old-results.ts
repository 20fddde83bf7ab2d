import { toolUses, type Message, type ToolResultBlock } from "../../core/message.ts";
import { CLEARED_RESULT } from "./apply-edit.ts";

/** What a result holds at least for its place to be worth anything. */
const RESULT_BYTES_MIN = 400;

/**
 * The calls whose results may be taken out: they are old, large enough, and the same call gives the same again. All at
 * once, because each change costs what the prompt cache held behind it.
 *
 * @param options.keepLast how many of the newest results stay
 * @param options.isRepeatable whether a call of a tool can be made again to get what it gave
 */
export function clearableResults(messages: readonly Message[], options: { readonly keepLast: number; readonly isRepeatable: (tool: string) => boolean }): readonly string[] {
  const tools = new Map(messages.flatMap((message) => (message.role === "assistant" ? toolUses(message).map(({ id, name }) => [id, name] as const) : [])));
  const results = messages.flatMap((message) => (message.role === "user" ? message.content.filter((block): block is ToolResultBlock => block.type === "tool_result") : []));
  return results
    .slice(0, Math.max(0, results.length - options.keepLast))
    .filter(({ tool_use_id: id, content }) => content !== CLEARED_RESULT && content.length >= RESULT_BYTES_MIN && options.isRepeatable(tools.get(id) ?? ""))
    .map(({ tool_use_id: id }) => id);
}
