import type { Json } from "../support/messages-api/json.ts";
import type { MessagesApi } from "../support/messages-api/server.ts";

export const USER = { role: "user", content: "hi" };
export const MARK = { cache_control: { type: "ephemeral" } };

export interface PostOptions {
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Takes the place of the JSON of the body. */
  readonly bytes?: Uint8Array<ArrayBuffer> | string;
}

/** Sends a request; model and max_tokens are there unless the body says otherwise. */
export function post(api: MessagesApi, body: Json, { path = "/v1/messages", headers, signal, bytes }: PostOptions = {}): Promise<Response> {
  return fetch(`${api.url}${path}`, {
    method: "POST",
    headers: headers ?? { "x-api-key": "k", "anthropic-version": "2023-06-01" },
    body: bytes ?? JSON.stringify({ model: "m", max_tokens: 100, ...body }),
    ...(signal !== undefined && { signal }),
  });
}

export interface ReadMessage {
  readonly id: string;
  readonly content: readonly Json[];
  readonly stop_reason: string;
  readonly usage: Readonly<Record<string, number>>;
  readonly error: { readonly type: string; readonly message: string };
  readonly request_id: string;
  readonly input_transformations?: readonly Json[];
}

/** The reply to a request that is not streamed, or the error body. */
export async function ask(api: MessagesApi, body: Json, options?: PostOptions): Promise<ReadMessage> {
  return (await (await post(api, body, options)).json()) as ReadMessage;
}

/** Why a request was refused; undefined where it was not. */
export async function refusalOf(api: MessagesApi, body: Json, options?: PostOptions): Promise<string | undefined> {
  return (await ask(api, body, options)).error?.message;
}

/** The events of a stream; data that is no JSON comes as text. */
export async function readEvents(response: Response): Promise<(Json | string)[]> {
  return [...(await response.text()).matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => {
    try {
      return JSON.parse(data) as Json;
    } catch {
      return data;
    }
  });
}

/** The types of the events, as most tests look at nothing else. */
export function typesOf(events: readonly (Json | string)[]): string[] {
  return events.map((event) => (typeof event === "string" ? "no JSON" : String(event["type"])));
}
