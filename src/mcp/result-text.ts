import { isRecord } from "../lib/is-record.ts";

/** What a server answered to a call, as its parts come. */
export interface ServerResult {
  readonly content?: unknown;
  readonly structuredContent?: unknown;
  readonly isError?: unknown;
}

/** What a model reads of an answer: its texts, and of everything else what it is. */
export function resultText({ content, structuredContent }: ServerResult): string {
  const parts = Array.isArray(content) ? content.map(partText) : [];
  const text = parts.filter((part) => part !== "").join("\n");
  if (text !== "") return text.toWellFormed();
  return structuredContent === undefined ? "(no output)" : JSON.stringify(structuredContent);
}

function partText(part: unknown): string {
  if (!isRecord(part)) return "";
  const { type, text, data, mimeType, resource, uri, name } = part;
  if (type === "text") return typeof text === "string" ? text : "";
  if (type === "resource_link") return `[${String(name)}: ${String(uri)}]`;
  if (type === "resource" && isRecord(resource)) {
    if (typeof resource["text"] === "string") return resource["text"];
    return notShown("resource", resource["blob"], resource["mimeType"]);
  }
  return notShown(String(type), data, mimeType);
}

function notShown(what: string, data: unknown, mimeType: unknown): string {
  const size = typeof data === "string" ? `, ${Math.floor((data.length * 3) / 4)} bytes` : "";
  return `[${what}${typeof mimeType === "string" ? ` of type ${mimeType}` : ""}${size}: not shown]`;
}
