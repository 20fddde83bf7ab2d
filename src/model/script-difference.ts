import { toolUses, type Message, type ToolResultBlock } from "../core/message.ts";
import type { ModelRequest } from "./client.ts";
import type { ScriptExpectation } from "./scripted-script.ts";

const EXCERPT_LENGTH_MAX = 200;

/**
 * The first thing in which a request differs from what a turn of a script expects, as `path: expected … got …`;
 * undefined where it does not.
 */
export function scriptDifference(expected: ScriptExpectation, request: ModelRequest): string | undefined {
  const { prompt, results, system } = expected;
  return (
    textDifference("prompt", prompt, latestUserText(request.messages)) ??
    textDifference("system", system, request.system.join("\n")) ??
    (results === undefined ? undefined : resultsDifference(results, latestResults(request.messages)))
  );
}

function textDifference(path: string, expected: string | undefined, got: string): string | undefined {
  if (expected === undefined || got.includes(expected)) return undefined;
  const message = `${path}: expected text with ${quote(expected)}, got ${quote(got)}`;
  const found = longestPrefixIn(expected, got);
  // A few letters are found in any text.
  if (found.length < 4) return message;
  const after = got.slice(got.indexOf(found) + found.length);
  return `${message}; nearest: after ${quote(found)} expected ${quote(expected.slice(found.length))}, got ${quote(after)}`;
}

/** A text that holds a prefix holds all shorter ones too, so halving finds the longest. */
function longestPrefixIn(text: string, holder: string): string {
  let held = 0;
  let missing = text.length + 1;
  while (missing - held > 1) {
    const middle = (held + missing) >>> 1;
    if (holder.includes(text.slice(0, middle))) held = middle;
    else missing = middle;
  }
  return text.slice(0, held);
}

interface GotResult {
  readonly tool: string;
  readonly content: string;
  readonly isError: boolean;
}

function resultsDifference(expected: NonNullable<ScriptExpectation["results"]>, got: readonly GotResult[]): string | undefined {
  for (const [index, result] of expected.entries()) {
    const path = `results[${index}]`;
    const found = got[index];
    if (found === undefined) return `${path}: expected a result of ${result.tool ?? "a tool"}, got none`;
    if (result.tool !== undefined && result.tool !== found.tool) {
      return `${path}.tool: expected "${result.tool}", got "${found.tool}"`;
    }
    if (result.isError !== undefined && result.isError !== found.isError) {
      return `${path}.isError: expected ${result.isError}, got ${found.isError} with ${quote(found.content)}`;
    }
    const difference = textDifference(`${path}.contains`, result.contains, found.content);
    if (difference !== undefined) return difference;
  }
  return got.length > expected.length ? `results: expected ${expected.length}, got ${got.length}` : undefined;
}

function latestUserText(messages: readonly Message[]): string {
  const message = messages.findLast(({ role, content }) => role === "user" && content.some(({ type }) => type === "text"));
  return (message?.content ?? []).flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

function latestResults(messages: readonly Message[]): GotResult[] {
  const toolById = new Map(
    messages.flatMap((message) => (message.role === "assistant" ? toolUses(message) : [])).map((call) => [call.id, call.name]),
  );
  return (messages.at(-1)?.content ?? [])
    .filter((block): block is ToolResultBlock => block.type === "tool_result")
    .map((result) => ({
      tool: toolById.get(result.tool_use_id) ?? "",
      content: result.content,
      isError: result.is_error === true,
    }));
}

function quote(text: string): string {
  const excerpt = text.length > EXCERPT_LENGTH_MAX ? `${text.slice(0, EXCERPT_LENGTH_MAX)}…` : text;
  return JSON.stringify(excerpt.toWellFormed());
}
