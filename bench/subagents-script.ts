import type { Answer, ReplyBlock } from "../test/support/messages-api/answer.ts";
import type { LoggedRequest } from "../test/support/messages-api/request-log.ts";
import { isRecord } from "../src/lib/is-record.ts";

/** Who asks, and how far it has come. */
export interface Asker {
  /** With which the last text begins that tells an agent what to do: `CHILD-3` of `CHILD-3 look around`. */
  readonly name: string;
  /** How many replies its conversation holds since it was told that. */
  readonly turn: number;
}

/** As whoever starts an agent tells it, at the beginning of a line; the directive of a fork stands behind a tag. */
const NAME = /^(?:\[FORK\] )?([A-Z]+-\d+)\b/m;

export function askerOf({ body }: LoggedRequest): Asker {
  const messages = recordsIn(body["messages"]);
  const index = messages.findLastIndex((message) => nameIn(message) !== undefined);
  const name = messages[index] === undefined ? undefined : nameIn(messages[index]);
  if (name === undefined) throw new Error("A request of somebody without a name");
  return { name, turn: messages.slice(index).filter(({ role }) => role === "assistant").length };
}

function nameIn(message: Readonly<Record<string, unknown>>): string | undefined {
  return textsIn(message)
    .map((text) => NAME.exec(text)?.[1])
    .findLast((name) => name !== undefined);
}

/** The text blocks of a message. */
export function textsIn(message: Readonly<Record<string, unknown>>): readonly string[] {
  return recordsIn(message["content"]).flatMap(({ type, text }) => (type === "text" ? [String(text)] : []));
}

export function recordsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function says(text: string, latencyMs = 0): Answer {
  return { content: [{ type: "text", text }], latencyMs };
}

export function calls(content: readonly ReplyBlock[], latencyMs = 0): Answer {
  return { content, latencyMs };
}

/** Starts that many children in one reply, CHILD-0 the first, with what else their calls say. */
export function startsChildren(count: number, more: Readonly<Record<string, unknown>> = {}): readonly ReplyBlock[] {
  return Array.from({ length: count }, (_, index) => startsChild(index, more));
}

export function startsChild(index: number, more: Readonly<Record<string, unknown>> = {}): ReplyBlock {
  return { type: "tool_use", name: "Agent", input: { description: `child ${index}`, prompt: `CHILD-${index} look at the file`, ...more } };
}
