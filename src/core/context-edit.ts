import { isRecord } from "../lib/is-record.ts";

/**
 * A change to what of a conversation is sent to the model. Edits are put on record between the messages, so that a
 * conversation that is read back is sent with the same bytes.
 *
 * - `clear_results`: the results of these calls are replaced by a placeholder
 * - `replace_start`: the first messages are replaced by one of the user
 * - `drop_thinking`, `drop_unknown`: blocks of that kind are left out
 * - `fix_pairing`: every call gets its one result, and nothing else does
 * - `fix_encoding`: text is made well-formed Unicode
 */
export type ContextEdit =
  | { readonly type: "clear_results"; readonly toolUseIds: readonly string[] }
  | { readonly type: "replace_start"; readonly messageCount: number; readonly text: string }
  | { readonly type: "drop_thinking" }
  | { readonly type: "drop_unknown" | "fix_pairing" | "fix_encoding" };

/** Reads an edit back from a record; undefined for one that is none. */
export function readContextEdit(value: unknown): ContextEdit | undefined {
  if (!isRecord(value)) return undefined;
  const { type, toolUseIds, messageCount, text } = value;
  switch (type) {
    case "clear_results":
      return isStrings(toolUseIds) ? { type, toolUseIds } : undefined;
    case "replace_start":
      return typeof messageCount === "number" && typeof text === "string" ? { type, messageCount, text } : undefined;
    case "drop_thinking":
    case "drop_unknown":
    case "fix_pairing":
    case "fix_encoding":
      return { type };
    default:
      return undefined;
  }
}

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
