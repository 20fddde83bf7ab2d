import { messageText, type Message } from "../../core/message.ts";
import { cutToBytes } from "../../lib/cut-to-bytes.ts";
import { messageBytes } from "./context-meter.ts";
import { isSafeCut } from "./safe-cuts.ts";

const FIRST_PROMPT_BYTES_MAX = 10_000;

/**
 * Takes whole old turns out of a conversation, without asking the model: what it was asked first stays, then a marker
 * says how much is missing. Undefined where nothing can be taken out so that what stays has at most `bytesMax`.
 */
export function snipTurns(messages: readonly Message[], bytesMax: number): { readonly messageCount: number; readonly text: string } | undefined {
  let kept = 0;
  let cut: number | undefined;
  for (const [index, message] of [...messages.entries()].slice(1).toReversed()) {
    kept += messageBytes(message);
    if (kept > bytesMax) break;
    if (isSafeCut(messages, index)) cut = index;
  }
  // A cut behind the first message alone takes nothing away.
  return cut === undefined || cut <= 1 ? undefined : { messageCount: cut, text: markerText(messages, cut) };
}

function markerText(messages: readonly Message[], count: number): string {
  return [
    firstRequest(messages),
    `[${count - 1} older messages of this conversation were taken out to save room. What was done in them stands: look at the files instead of doing it again.]`,
  ].join("\n\n");
}

/** What the conversation was asked for in the beginning, as the user wrote it. */
export function firstRequest(messages: readonly Message[]): string {
  const [first] = messages;
  return first === undefined ? "" : cutToBytes(messageText(first), FIRST_PROMPT_BYTES_MAX);
}
