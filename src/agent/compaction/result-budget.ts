import type { ToolResultBlock, UserBlock } from "../../core/message.ts";
import { characterStart } from "../../lib/character-start.ts";
import { wholeCharactersLength } from "../../lib/whole-characters.ts";

/** What all results of one reply may hold together, in bytes, and what stays of one that is put away. */
export const RESULTS_BYTES_MAX = 200_000;
const EXCERPT_BYTES = 8_000;

/**
 * Puts the largest results of a reply away until the rest fits: of these, beginning, end and the path of the whole stay.
 * Done once, before the results come into the conversation, so that they stand there the same on every turn.
 *
 * @param keep keeps a result; resolves to where it can be read
 */
export async function budgetResults(
  blocks: readonly UserBlock[],
  keep: (toolUseId: string, content: string) => Promise<string>,
  bytesMax = RESULTS_BYTES_MAX,
): Promise<readonly UserBlock[]> {
  const sizes = new Map(blocks.flatMap((block) => (block.type === "tool_result" ? [[block, Buffer.byteLength(block.content)] as const] : [])));
  let bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  const put = new Map<UserBlock, UserBlock>();
  for (const [block, size] of [...sizes].toSorted(([, one], [, other]) => other - one)) {
    if (bytes <= bytesMax || size <= EXCERPT_BYTES) break;
    const shortened = await shorten(block, keep);
    put.set(block, shortened);
    bytes -= size - Buffer.byteLength(shortened.content);
  }
  return blocks.map((block) => put.get(block) ?? block);
}

async function shorten(block: ToolResultBlock, keep: (toolUseId: string, content: string) => Promise<string>): Promise<ToolResultBlock> {
  const path = await keep(block.tool_use_id, block.content);
  const bytes = Buffer.from(block.content);
  const head = bytes.subarray(0, wholeCharactersLength(bytes.subarray(0, EXCERPT_BYTES / 2)));
  const tail = bytes.subarray(characterStart(bytes, bytes.length - EXCERPT_BYTES / 2));
  const missing = bytes.length - head.length - tail.length;
  return { ...block, content: `${head.toString()}\n[... ${missing} bytes left out; the whole result is in ${path} ...]\n${tail.toString()}` };
}
