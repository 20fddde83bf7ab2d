import { userText } from "../../src/core/message.ts";
import { ModelError, type ModelClient, type ModelEvent, type ModelRequest } from "../../src/model/client.ts";

export interface CollectedReply {
  readonly events: readonly ModelEvent[];
  readonly text: string;
  /** Parsed input by tool name. */
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: unknown }[];
  readonly stopReason: string | null | undefined;
}

export function requestFor(prompt: string, overrides: Partial<ModelRequest> = {}): ModelRequest {
  return { system: [], tools: [], messages: [userText(prompt)], maxOutputTokens: 1_000, ...overrides };
}

/** Reads a whole reply. Rejects as the client does. */
export async function readReply(
  client: ModelClient,
  request: ModelRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<CollectedReply> {
  const events: ModelEvent[] = [];
  for await (const event of client.stream(request, signal)) events.push(event);
  return collect(events);
}

/** Reads a reply that has to fail: what came before the failure, and the failure. */
export async function readFailure(
  client: ModelClient,
  request: ModelRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<{ readonly events: readonly ModelEvent[]; readonly error: ModelError }> {
  const events: ModelEvent[] = [];
  try {
    for await (const event of client.stream(request, signal)) events.push(event);
  } catch (error) {
    if (error instanceof ModelError) return { events, error };
    throw error;
  }
  throw new Error("The reply was expected to fail");
}

function collect(events: readonly ModelEvent[]): CollectedReply {
  const deltasOf = (index: number) => events.flatMap((event) => (event.type === "block_delta" && event.index === index ? [event.delta] : []));
  const ofType = <Type extends ModelEvent["type"]>(type: Type) =>
    events.filter((event): event is Extract<ModelEvent, { type: Type }> => event.type === type);
  return {
    events,
    text: events.map((event) => (event.type === "block_delta" && event.delta.type === "text_delta" ? event.delta.text : "")).join(""),
    calls: ofType("block_start").flatMap(({ index, block }) => {
      if (block.type !== "tool_use") return [];
      const json = deltasOf(index).map((delta) => (delta.type === "input_json_delta" ? delta.partialJson : "")).join("");
      return [{ id: block.id, name: block.name, input: JSON.parse(json === "" ? "{}" : json) as unknown }];
    }),
    stopReason: ofType("message_delta").at(-1)?.stopReason,
  };
}
