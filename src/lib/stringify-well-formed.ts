import { wellFormed } from "./well-formed.ts";

/**
 * JSON on one line in which every string is well-formed Unicode: half of a surrogate pair becomes U+FFFD, in keys too.
 *
 * Throws for what JSON cannot hold as a whole: undefined, a function, a circle.
 */
export function stringifyWellFormed(value: unknown): string {
  // `stringify` is declared to return text and returns undefined for what has no JSON.
  const json: string | undefined = JSON.stringify(value);
  if (json === undefined) throw new TypeError("Cannot write a value as JSON: it has none");
  // Only half a pair is ever escaped as \ud…; the same letters may be plain text after an escaped backslash.
  if (!json.includes("\\ud")) return json;
  return JSON.stringify(wellFormed(JSON.parse(json)));
}
