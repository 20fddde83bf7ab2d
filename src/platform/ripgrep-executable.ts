import { createHash, randomUUID } from "node:crypto";
import { closeSync, existsSync, lstatSync, mkdirSync, openSync, readFileSync, renameSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { isEmbeddedPath } from "./embedded-path.ts";
import { openPinnedDirectory, type PinnedDirectory } from "./pinned-directory.ts";
import { ripgrepFile } from "./ripgrep-file.ts";
import { resolveStatePaths } from "./state-paths.ts";
import { writeFully } from "./write-fully.ts";

/**
 * Finds a search program that can be started. From source that is the one of the package; a compiled executable copies
 * the embedded one into the cache directory at first use, because the system cannot start what exists in memory only.
 *
 * A copy that is there already counts when its bytes are the embedded ones, whoever wrote it.
 *
 * @param options.isStartable whether the program can be started where it is; unless told, the path says so
 */
export function createRipgrepLocator(
  options: { readonly program?: string; readonly isStartable?: boolean; readonly cacheDirectory?: string } = {},
): () => string {
  const program = options.program ?? ripgrepFile;
  let verified: string | undefined;
  return () => {
    if (options.isStartable ?? !isEmbeddedPath(program)) return program;
    // The cache may be emptied at any time.
    if (verified === undefined || !existsSync(verified)) verified = copyOut(program, options.cacheDirectory ?? resolveStatePaths(process.env).cache);
    return verified;
  };
}

function copyOut(program: string, cachePath: string): string {
  const bytes = readFileSync(program);
  const name = `rg-${sha256(bytes)}${process.platform === "win32" ? ".exe" : ""}`;
  mkdirSync(dirname(cachePath), { recursive: true });
  // What others could write to, they could also make us run.
  const directory = openPinnedDirectory(cachePath, { create: true });
  try {
    if (!isSameProgram(directory.entry(name), bytes)) placeProgram(directory, name, bytes);
  } finally {
    directory.close();
  }
  return join(cachePath, name);
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function isSameProgram(path: string, bytes: Uint8Array): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && (stat.mode & 0o100) !== 0 && readFileSync(path).equals(bytes);
}

/** Another process may be doing the same: each writes its own file, and the last rename wins with equal bytes. */
function placeProgram(directory: PinnedDirectory, name: string, bytes: Uint8Array): void {
  const temporary = directory.entry(`${name}.${randomUUID()}.tmp`);
  const fd = openSync(temporary, "wx", 0o700);
  try {
    writeFully(fd, bytes);
  } catch (error) {
    unlinkSync(temporary);
    throw error;
  } finally {
    closeSync(fd);
  }
  renameSync(temporary, directory.entry(name));
}
