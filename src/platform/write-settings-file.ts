import { randomBytes } from "node:crypto";
import { closeSync, constants, fchmodSync, fsyncSync, mkdirSync, openSync, renameSync, statSync, unlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { FILE_MODE } from "./exclusive-file.ts";
import { fileError } from "./file-error.ts";
import { resolveRealPath } from "./resolve-real-path.ts";
import { syncDirectory } from "./sync-directory.ts";
import { writeFully } from "./write-fully.ts";

const FOLDER_MODE = 0o700;

/**
 * Replaces a file that people edit too, or creates it, so that a reader and a crash see the old content or the new one.
 * A link stays a link, and what it leads to is replaced; an existing file keeps its mode. A new one gets mode 0600, and
 * folders that are missing 0700.
 *
 * Throws an `AppError` that names the path.
 */
export function writeSettingsFile(path: string, text: string): void {
  const target = resolveRealPath(path);
  try {
    mkdirSync(dirname(target), { recursive: true, mode: FOLDER_MODE });
    replace(target, text);
    syncFolder(dirname(target));
  } catch (error) {
    throw fileError("Cannot write", target, error);
  }
}

function replace(target: string, text: string): void {
  const mode = statSync(target, { throwIfNoEntry: false })?.mode;
  const temporary = join(dirname(target), `.${basename(target)}.${randomBytes(8).toString("hex")}.tmp`);
  const fd = openSync(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, FILE_MODE);
  try {
    try {
      if (mode !== undefined) fchmodSync(fd, mode & 0o777);
      writeFully(fd, Buffer.from(text));
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, target);
  } catch (error) {
    unlinkSync(temporary);
    throw error;
  }
}

function syncFolder(path: string): void {
  // Windows opens no directories.
  if (constants.O_DIRECTORY === undefined) return;
  const fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    syncDirectory(fd);
  } finally {
    closeSync(fd);
  }
}
