import { ModelError, type ModelClient, type ModelEvent, type ModelRequest, type StreamOptions } from "../../model/client.ts";
import type { ReplyLine, TapeLine } from "./cassette-line.ts";
import type { AskedRequest } from "./compare-requests.ts";
import type { Redactor } from "./redact.ts";
import { redactReply } from "./redact-reply.ts";
import { requestLine } from "./request-line.ts";

/** Records what the models of one agent are asked, when they are asked, and what they answer, when it is whole or has failed. */
export function recordModel({ write, redactor }: { readonly write: (line: TapeLine) => void; readonly redactor: Redactor }): (model: ModelClient) => ModelClient {
  const redacted = new WeakMap<object, unknown>();
  let before: AskedRequest | undefined;

  /** The parts of a conversation are the same objects from request to request. */
  function redact<Part extends object>(part: Part): Part {
    if (!redacted.has(part)) redacted.set(part, redactor.value(part));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is kept for a part is that part, redacted
    return redacted.get(part) as Part;
  }

  function asked(model: string, request: ModelRequest, options: StreamOptions): AskedRequest {
    const { system, tools, messages, ...rest } = request;
    return { model, ...(options.isWhole === true ? { isWhole: true } : {}), ...rest, system: redact(system), tools: redact(tools), messages: messages.map(redact) };
  }

  return (model) => ({
    ...model,
    async *stream(request, signal, options = {}) {
      const next = asked(model.model, request, options);
      write(requestLine(next, before));
      before = next;
      const events: ModelEvent[] = [];
      let failure: Pick<ReplyLine, "error"> = {};
      try {
        for await (const event of model.stream(request, signal, options)) {
          events.push(event);
          yield event;
        }
      } catch (error) {
        if (error instanceof ModelError) failure = { error: plainError(error) };
        throw error;
      } finally {
        write({ type: "reply", events: redactReply(events, redactor), ...failure });
      }
    },
  });
}

function plainError(error: ModelError): NonNullable<ReplyLine["error"]> {
  const { class: errorClass, message, status, type, said, requestId, retryAfterMs, shouldRetry } = error;
  return { class: errorClass, message, status, type, said, requestId, retryAfterMs, shouldRetry };
}
