import type { AskedRequest } from "./compare-requests.ts";
import type { RequestLine } from "./cassette-line.ts";

/** A request as its line, without what is as in the request before. Both are redacted already. */
export function requestLine(request: AskedRequest, before: AskedRequest | undefined): RequestLine {
  const { system, tools, messages, ...rest } = request;
  let kept = 0;
  while (kept < messages.length && before !== undefined && isSame(messages[kept], before.messages[kept])) kept++;
  return {
    type: "request",
    ...rest,
    ...(before !== undefined && isSame(system, before.system) ? {} : { system }),
    ...(before !== undefined && isSame(tools, before.tools) ? {} : { tools }),
    messages: { kept, added: messages.slice(kept) },
  };
}

/** The request of a line. Undefined where the line refers to what was not there before. */
export function requestOfLine({ type: _type, ...line }: RequestLine, before: AskedRequest | undefined): AskedRequest | undefined {
  const system = line.system ?? before?.system;
  const tools = line.tools ?? before?.tools;
  const { kept, added } = line.messages;
  const messages = [...(before?.messages.slice(0, kept) ?? []), ...added];
  if (system === undefined || tools === undefined || messages.length !== kept + added.length) return undefined;
  return { ...line, system, tools, messages };
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
