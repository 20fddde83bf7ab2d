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
