import { escapeMarkup } from "../lib/escape-markup.ts";

/** A message of the user is their words as they are; anybody else's is quoted, so that it cannot pass for the user's. */
export function attributedMessage(text: string, sender: string | undefined): string {
  return sender === undefined ? text : `<message from="${escapeMarkup(sender)}">\n${escapeMarkup(text)}\n</message>`;
}
