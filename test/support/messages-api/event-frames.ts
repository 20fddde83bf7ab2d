import type { ReplyFaults } from "./answer.ts";
import type { Json } from "./json.ts";

/** What is written at once. */
export interface Frame {
  readonly bytes: Uint8Array;
  /** How long it is held back. */
  readonly delayMs: number;
}

/** The bytes of a stream, with the faults that are faults of its events. */
export function eventFrames(events: readonly Json[], faults: ReplyFaults, requestId: string): readonly Frame[] {
  const { errorEvent, malformedEvent, deltaDelayMs = 0 } = faults;
  const sent = rearrange(events, faults);
  const kept = errorEvent === undefined ? sent : sent.slice(0, errorEvent.afterEvents ?? -1);
  const frames = kept.map((event, index) => {
    const data = JSON.stringify(event);
    const isDelta = event["type"] === "content_block_delta";
    return frame(event, index === malformedEvent ? data.slice(0, data.length / 2) : data, isDelta ? deltaDelayMs : 0);
  });
  if (errorEvent === undefined) return frames;
  const { type, message } = errorEvent;
  const event = { type: "error", error: { type, message }, request_id: requestId };
  return [...frames, frame(event, JSON.stringify(event), 0)];
}

export function pingFrame(): Frame {
  return frame({ type: "ping" }, '{"type": "ping"}', 0);
}

function rearrange(events: readonly Json[], { omittedEvents, swappedEvents, insertedEvents }: ReplyFaults): readonly Json[] {
  const sent = events.filter(({ type }) => omittedEvents?.includes(String(type)) !== true);
  const [a = -1, b = -1] = swappedEvents ?? [];
  const [first, second] = [sent[a], sent[b]];
  if (first !== undefined && second !== undefined) [sent[a], sent[b]] = [second, first];
  // From the last position on, so that no insertion moves another.
  for (const { at, event } of (insertedEvents ?? []).toSorted((one, other) => other.at - one.at)) sent.splice(at, 0, event);
  return sent;
}

function frame(event: Json, data: string, delayMs: number): Frame {
  return { bytes: new TextEncoder().encode(`event: ${String(event["type"])}\ndata: ${data}\n\n`), delayMs };
}
