import type { AgentContext } from "../core/agent.ts";
import { AppError } from "../core/errors.ts";
import { readRegularFile } from "../platform/read-regular-file.ts";
import { resolveRealPath } from "../platform/resolve-real-path.ts";
import { contentHash, FILE_BYTES_MAX } from "./known-file.ts";

/**
 * Reads back what was written, by the path that the call named, and remembers it as known. Success is claimed only for
 * bytes that are really there.
 */
export function verifyWritten(params: {
  readonly namedPath: string;
  readonly realPath: string;
  readonly bytes: Uint8Array;
  readonly isPartial: boolean;
  readonly context: AgentContext;
}): void {
  const found = readRegularFile(resolveRealPath(params.namedPath), { bytesMax: FILE_BYTES_MAX });
  if (!Buffer.from(found).equals(params.bytes)) {
    throw new AppError("conflict", `"${params.namedPath}" does not hold what was just written: something else changes it; read it again`);
  }
  params.context.readFileState.set(params.realPath, { contentHash: contentHash(found), isPartial: params.isPartial });
}
