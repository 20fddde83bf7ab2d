import type { TextBlock } from "../core/message.ts";
import type { PendingInput } from "../core/notification.ts";

/** What comes in from outside, as the model reads it. */
export function inputBlocks(input: readonly PendingInput[]): TextBlock[] {
  return input.map(({ text }) => ({ type: "text", text: text.toWellFormed() }));
}

/** What is delivered by it. */
export function inputDeliveries(input: readonly PendingInput[]): readonly string[] {
  return input.flatMap(({ deliveryId }) => deliveryId ?? []);
}
