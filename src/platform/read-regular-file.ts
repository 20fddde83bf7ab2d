import { closeSync, constants, fstatSync, readSync, statSync, type Stats } from "node:fs";
import { AppError } from "../core/errors.ts";
import { formatByteSize } from "../lib/byte-size.ts";
import { fileError } from "./file-error.ts";
import { openRealPath } from "./open-real-path.ts";

/**
 * All bytes of a regular file. Anything else, and a file of more than `bytesMax` bytes, is an `AppError`, at once and
 * without reading it.
 *
 * @param realPath as `resolveRealPath` gives it
 */
export function readRegularFile(realPath: string, options: { readonly bytesMax: number }): Uint8Array {
  // Looked at before it is opened: opening alone makes some devices act.
  assertRegularFile(realPath, statOf(realPath));
  const fd = openRealPath(realPath, constants.O_RDONLY, { action: "Cannot read" });
  try {
    const stat = fstatSync(fd);
    assertRegularFile(realPath, stat);
    return readAll(fd, { realPath, sizeHint: stat.size, bytesMax: options.bytesMax });
  } catch (error) {
    throw fileError("Cannot read", realPath, error);
  } finally {
    closeSync(fd);
  }
}

function statOf(realPath: string): Stats {
  try {
    return statSync(realPath);
  } catch (error) {
    throw fileError("Cannot read", realPath, error);
  }
}

function assertRegularFile(realPath: string, stat: Stats): void {
  if (!stat.isFile()) throw new AppError("failed", `Cannot read "${realPath}": it is ${kindOf(stat)}, not a regular file`);
}

function kindOf(stat: Stats): string {
  if (stat.isDirectory()) return "a directory";
  if (stat.isFIFO()) return "a named pipe";
  if (stat.isSocket()) return "a socket";
  return "a device";
}

const CHUNK_BYTES_MIN = 65_536;

/** The size is a hint only: files of /proc state none, and others grow while they are read. */
function readAll(
  fd: number,
  params: { readonly realPath: string; readonly sizeHint: number; readonly bytesMax: number },
): Uint8Array {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for (;;) {
    if (Math.max(total, params.sizeHint) > params.bytesMax) throw tooLarge(params);
    // One byte more than is left shows the end of the file in the first read.
    const chunk = new Uint8Array(Math.max(CHUNK_BYTES_MIN, params.sizeHint - total + 1));
    const count = readSync(fd, chunk, 0, chunk.length, total);
    if (count === 0) return Buffer.concat(chunks);
    chunks.push(chunk.subarray(0, count));
    total += count;
  }
}

function tooLarge({ realPath, bytesMax }: { readonly realPath: string; readonly bytesMax: number }): AppError {
  return new AppError("failed", `Cannot read "${realPath}": it is larger than ${formatByteSize(bytesMax)}; search it, or take a part of it with a command`);
}
