import { isRecord } from "../../../src/lib/is-record.ts";
import { invalid, type Fault } from "./fault.ts";
import type { Json } from "./json.ts";

/** Reads the bytes of a request as strictly as the service: valid UTF-8, JSON, no half of a surrogate pair, an object. */
export function readBody(bytes: Uint8Array): { readonly body: Json } | { readonly fault: Fault } {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return { fault: invalid("The request body is not valid JSON: invalid UTF-8") };
  }
  const surrogate = loneSurrogateAt(text);
  if (surrogate !== undefined) {
    return { fault: invalid(`The request body is not valid JSON: no low surrogate in string: char ${surrogate}`) };
  }
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    return { fault: invalid(`The request body is not valid JSON: ${String(error)}`) };
  }
  return isRecord(body) ? { body } : { fault: invalid("Input should be a valid dictionary") };
}

/** Where an escape stands for half a pair. Every escape is read in turn, since a backslash can itself be escaped. */
function loneSurrogateAt(text: string): number | undefined {
  let high: { readonly at: number; readonly end: number } | undefined;
  for (const { 0: escape, 1: digits, index } of text.matchAll(/\\(?:u([0-9a-f]{4})|[^])/gi)) {
    const unit = digits === undefined ? 0 : Number.parseInt(digits, 16);
    const isLow = unit >= 0xdc00 && unit <= 0xdfff;
    if (high !== undefined && !(isLow && high.end === index)) return high.at;
    if (isLow && high === undefined) return index;
    high = unit >= 0xd800 && unit <= 0xdbff ? { at: index, end: index + escape.length } : undefined;
  }
  return high?.at;
}
