import { isRecord } from "../../lib/is-record.ts";
import type { ModelRequest } from "../../model/client.ts";
import type { IsSameText } from "./loose-text.ts";

/** What a model was asked, and how. */
export type AskedRequest = ModelRequest & { readonly model: string; readonly isWhole?: true };

const EXCERPT_CHARS_BEFORE = 40;
const EXCERPT_CHARS = 160;

/**
 * The first thing in which a request differs from the recorded one, as `path: recorded …, now …` with what is around it;
 * undefined where it does not.
 */
export function requestDifference(recorded: AskedRequest, now: AskedRequest, isSameText: IsSameText): string | undefined {
  const { messages: recordedMessages, ...recordedRest } = recorded;
  const { messages, ...rest } = now;
  // A changed tool or prompt says more than what came of it.
  return difference("", recordedRest, rest, isSameText) ?? difference("messages", recordedMessages, messages, isSameText);
}

function difference(path: string, recorded: unknown, now: unknown, isSameText: IsSameText): string | undefined {
  if (typeof recorded === "string" && typeof now === "string") return isSameText(recorded, now) ? undefined : textDifference(path, recorded, now);
  if (Array.isArray(recorded) && Array.isArray(now)) return listDifference(path, recorded, now, isSameText);
  if (isRecord(recorded) && isRecord(now)) {
    const names = new Set([...Object.keys(recorded), ...Object.keys(now)]);
    for (const name of names) {
      const found = difference(path === "" ? name : `${path}.${name}`, recorded[name], now[name], isSameText);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  return recorded === now ? undefined : `${path}: recorded ${excerpt(recorded)}, now ${excerpt(now)}`;
}

function listDifference(path: string, recorded: readonly unknown[], now: readonly unknown[], isSameText: IsSameText): string | undefined {
  const shared = Math.min(recorded.length, now.length);
  for (let index = 0; index < shared; index++) {
    const found = difference(`${path}[${index}]`, recorded[index], now[index], isSameText);
    if (found !== undefined) return found;
  }
  if (recorded.length === now.length) return undefined;
  return `${path}[${shared}]: recorded ${excerpt(recorded[shared])}, now ${excerpt(now[shared])}`;
}

function textDifference(path: string, recorded: string, now: string): string {
  const start = Math.max(0, sharedLength(recorded, now) - EXCERPT_CHARS_BEFORE);
  return `${path}${topic(recorded, now)}: recorded ${quote(recorded, start)}, now ${quote(now, start)}`;
}

/** What people know the text as. */
function topic(...texts: readonly string[]): string {
  return texts.some((text) => text.startsWith("<project-instructions")) ? " (the project instructions in AGENTS.md and CLAUDE.md)" : "";
}

function sharedLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one[length] === other[length]) length++;
  return length;
}

function excerpt(value: unknown): string {
  if (value === undefined) return "nothing";
  return typeof value === "string" ? quote(value, 0) : quoteJson(JSON.stringify(value));
}

function quoteJson(json: string): string {
  return json.length > EXCERPT_CHARS ? `${json.slice(0, EXCERPT_CHARS).toWellFormed()}…` : json;
}

function quote(text: string, start: number): string {
  const shown = text.slice(start, start + EXCERPT_CHARS).toWellFormed();
  return JSON.stringify(`${start > 0 ? "…" : ""}${shown}${start + EXCERPT_CHARS < text.length ? "…" : ""}`);
}
