import { createHash } from "node:crypto";
import type { AgentContext } from "../core/agent.ts";
import { AppError } from "../core/errors.ts";
import type { ReadFileEntry } from "../core/read-file-state.ts";
import { decodeText, type TextEncoding } from "../lib/text-encoding.ts";
import { readRegularFile } from "../platform/read-regular-file.ts";

/** The largest file that the tools read or edit. */
export const FILE_BYTES_MAX = 50 * 1_024 * 1_024;

export interface TextFile {
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly encoding: TextEncoding;
}

/** Reads a file that must be text. Throws an `AppError` for anything else. */
export function readTextFileWhole(realPath: string): TextFile {
  const bytes = readRegularFile(realPath, { bytesMax: FILE_BYTES_MAX });
  const decoded = decodeText(bytes);
  if (decoded === undefined) throw new AppError("failed", `Cannot read "${realPath}": it is a binary file`);
  return { bytes, ...decoded };
}

/**
 * Reads a file that the agent is about to change. Throws an `AppError` unless the agent has read it and its content is
 * still what it read: another agent or the user may have worked on it since.
 *
 * @param action as in `Cannot edit`
 */
export function readKnownFile(
  realPath: string,
  params: { readonly context: AgentContext; readonly action: string },
): TextFile & { readonly known: ReadFileEntry } {
  const file = readTextFileWhole(realPath);
  const known = params.context.readFileState.get(realPath);
  if (known === undefined) throw new AppError("conflict", `${params.action} "${realPath}": it has not been read yet; read it first`);
  if (contentHash(file.bytes) !== known.contentHash) {
    throw new AppError("conflict", `${params.action} "${realPath}": it changed since you read it; read it again`);
  }
  return { ...file, known };
}

export function contentHash(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
