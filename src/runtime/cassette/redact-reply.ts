import type { ModelEvent, WireDelta } from "../../model/client.ts";
import type { Redactor } from "./redact.ts";

/** The events of a reply without secrets, also where one arrived in several pieces. */
export function redactReply(events: readonly ModelEvent[], redactor: Redactor): ModelEvent[] {
  const redacted = events.map((event) => (event.type === "block_delta" ? event : redactor.value(event)));
  const places = new Map<string, number[]>();
  for (const [place, event] of events.entries()) {
    if (event.type !== "block_delta") continue;
    const key = `${event.index} ${event.delta.type}`;
    const known = places.get(key);
    if (known === undefined) places.set(key, [place]);
    else known.push(place);
  }
  for (const all of places.values()) {
    const texts = redactor.pieces(all.map((place) => textAt(events, place)));
    for (const [index, place] of all.entries()) {
      const event = events[place];
      if (event?.type === "block_delta") redacted[place] = { ...event, delta: withText(event.delta, texts[index] ?? "") };
    }
  }
  return redacted;
}

function textAt(events: readonly ModelEvent[], place: number): string {
  const event = events[place];
  return event?.type === "block_delta" ? textOf(event.delta) : "";
}

function textOf(delta: WireDelta): string {
  switch (delta.type) {
    case "text_delta":
      return delta.text;
    case "input_json_delta":
      return delta.partialJson;
    case "thinking_delta":
      return delta.thinking;
    case "signature_delta":
      return delta.signature;
    case "unknown":
      return "";
  }
}

function withText(delta: WireDelta, text: string): WireDelta {
  switch (delta.type) {
    case "text_delta":
      return { ...delta, text };
    case "input_json_delta":
      return { ...delta, partialJson: text };
    case "thinking_delta":
      return { ...delta, thinking: text };
    case "signature_delta":
      return { ...delta, signature: text };
    case "unknown":
      return delta;
  }
}
