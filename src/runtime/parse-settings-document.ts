import { AppError } from "../core/errors.ts";
import { isRecord } from "../lib/is-record.ts";
import { JsoncError, parseJsonc, type TextPosition } from "../lib/jsonc.ts";

/** A configuration file as it was written, its values unchecked. */
export interface SettingsDocument {
  /** Empty where there is nothing but comments. */
  readonly content: Readonly<Record<string, unknown>>;
  positionOf(path: readonly PropertyKey[]): TextPosition;
  /** The failure that a value at a path causes. */
  problemAt(path: readonly PropertyKey[], problem: string): AppError;
}

/** Throws an `AppError` of reason `usage` that names file, line and column where the text is not one object of JSON with comments. */
export function parseSettingsDocument(text: string, file: string): SettingsDocument {
  const { value, positionOf } = parse(text, file);
  const problemAt = (path: readonly PropertyKey[], problem: string) => invalidSettings({ file, position: positionOf(path), problem });
  const content = value ?? {};
  if (value === null || !isRecord(content)) throw problemAt([], "a configuration file holds one object");
  return { content, positionOf, problemAt };
}

function parse(text: string, file: string) {
  try {
    return parseJsonc(text);
  } catch (error) {
    if (!(error instanceof JsoncError)) throw error;
    throw invalidSettings({ file, position: error.position, problem: error.message });
  }
}

function invalidSettings({ file, position, problem }: { readonly file: string; readonly position: TextPosition; readonly problem: string }): AppError {
  return new AppError("usage", `Invalid settings at ${file}:${position.line}:${position.column}: ${problem}`, { code: "invalid_settings" });
}
