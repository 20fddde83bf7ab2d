import type { ContextEdit } from "../../core/context-edit.ts";
import type { Message } from "../../core/message.ts";
import { CLEARED_RESULT } from "./apply-edit.ts";
import { clearableResults } from "./clear-old-results.ts";
import { isSafeCut } from "./safe-cuts.ts";
import { firstRequest, snipTurns } from "./snip-turns.ts";

/** How a conversation is made shorter, the gentlest first. */
export type CompactionLayer = "clear_results" | "snip" | "summary";

/** One step: an edit that is known, or a summary that has to be asked for. */
export type CompactionStep =
  | { readonly layer: "clear_results" | "snip"; readonly edit: ContextEdit }
  | { readonly layer: "summary"; readonly keptFrom: number };

export interface ContextState {
  readonly messages: readonly Message[];
  /**
   * How much of the room is taken: of what the model's window has without the reply, or, where the service has said that
   * it is too much, of what was sent then.
   */
  readonly share: number;
  /** Bytes of all the room. */
  readonly roomBytes: number;
  /** Layers that have done nothing for this conversation and are not tried again. */
  readonly exhausted: ReadonlySet<CompactionLayer>;
  /** Whether the service has said that it is too long. */
  readonly isForced: boolean;
  readonly isRepeatable: (tool: string) => boolean;
}

/** Shares of the room from which on a layer acts. */
const CLEAR_FROM = 0.6;
const SNIP_FROM = 0.7;
const SUMMARY_FROM = 0.8;
/** Beyond this, the request for a summary would not fit itself. */
const SUMMARY_TO = 0.97;
/** A forced compaction goes on until the prompt is within this share. */
export const FORCED_TO = 0.6;
/** What stays after a summary or a cut, as a share of the room. */
const KEPT = 0.3;
const RESULTS_KEPT = 8;
const RESULTS_KEPT_FORCED = 2;
/** An edit costs what the prompt cache held behind it, so little is not worth one. */
const CLEARED_MIN = 10;
const SPENT_MESSAGES_MIN = 20;

/** What to do next so that a conversation keeps fitting; undefined where nothing has to be done, or nothing can be. */
export function planCompaction(state: ContextState): CompactionStep | undefined {
  const { share } = state;
  if (share < CLEAR_FROM && !state.isForced) return undefined;
  if (state.isForced && share < FORCED_TO) return undefined;
  return clearStep(state) ?? (share >= SNIP_FROM || state.isForced ? spentStep(state) : undefined) ?? (share >= SUMMARY_FROM || state.isForced ? shorten(state) : undefined);
}

function clearStep({ messages, exhausted, isForced, isRepeatable }: ContextState): CompactionStep | undefined {
  if (exhausted.has("clear_results")) return undefined;
  const toolUseIds = clearableResults(messages, { keepLast: isForced ? RESULTS_KEPT_FORCED : RESULTS_KEPT, isRepeatable });
  const isWorthIt = toolUseIds.length >= (isForced ? 1 : CLEARED_MIN);
  return isWorthIt ? { layer: "clear_results", edit: { type: "clear_results", toolUseIds } } : undefined;
}

/** Turns of which nothing is left but that there were calls. */
function spentStep({ messages, exhausted }: ContextState): CompactionStep | undefined {
  if (exhausted.has("snip")) return undefined;
  let count = 1;
  while (count < messages.length && isSpent(messages[count])) count++;
  while (count > 1 && !isSafeCut(messages, count)) count--;
  if (count < SPENT_MESSAGES_MIN) return undefined;
  const text = `${firstRequest(messages)}\n\n[${count - 1} older messages, all of them calls whose results were taken out, were left out to save room.]`;
  return { layer: "snip", edit: { type: "replace_start", messageCount: count, text } };
}

const SPENT_TEXT_CHARS_MAX = 200;

function isSpent(message: Message | undefined): boolean {
  if (message === undefined) return false;
  if (message.role === "user") return message.content.every((block) => block.type === "tool_result" && (block.content === CLEARED_RESULT || block.content.length <= SPENT_TEXT_CHARS_MAX));
  return message.content.every((block) => block.type !== "text" || block.text.length <= SPENT_TEXT_CHARS_MAX);
}

/** A summary, or a cut where a summary has failed before or does not fit into the window itself. */
function shorten(state: ContextState): CompactionStep | undefined {
  const { messages, share, roomBytes, exhausted } = state;
  const cut = snipTurns(messages, KEPT * roomBytes);
  const canAsk = !exhausted.has("summary") && share < SUMMARY_TO;
  if (canAsk) return { layer: "summary", keptFrom: cut?.messageCount ?? messages.length };
  if (cut === undefined || exhausted.has("snip")) return undefined;
  return { layer: "snip", edit: { type: "replace_start", ...cut } };
}
