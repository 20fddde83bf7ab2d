import { isRecord } from "./is-record.ts";

/**
 * A copy of parsed JSON in which every string, member names included, is well-formed Unicode: half a surrogate pair
 * becomes U+FFFD. Strict servers reject a whole request for one such half.
 */
export function wellFormed<Value>(value: Value): Value;
export function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map((item) => wellFormed(item));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name.toWellFormed(), wellFormed(member)]));
}
