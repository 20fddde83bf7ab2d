import { closeSync, constants, existsSync, mkdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { systemErrorCode } from "../core/errors.ts";
import { fileError } from "./file-error.ts";
import { openRealPath } from "./open-real-path.ts";

/** A directory that stays the same one whatever becomes of its path. */
export interface OpenDirectory {
  /** A path for what is in it that leads through the open directory where the system can do that. */
  entry(name: string): string;
  close(): void;
}

/**
 * Opens a directory and makes it, and those above it, where they are missing.
 *
 * @param realPath as `resolveRealPath` gives it
 */
export function openOrMakeDirectory(realPath: string): OpenDirectory {
  const missing: string[] = [];
  let existing = realPath;
  while (!existsSync(existing) && dirname(existing) !== existing) {
    missing.push(basename(existing));
    existing = dirname(existing);
  }
  let directory = openDirectory(existing);
  let path = existing;
  for (const name of missing.toReversed()) {
    const parent = directory;
    path = join(path, name);
    try {
      makeDirectory(parent.entry(name), path);
      directory = openDirectory(path);
    } finally {
      parent.close();
    }
  }
  return directory;
}

function openDirectory(realPath: string): OpenDirectory {
  const fd = openRealPath(realPath, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0), { action: "Cannot open the directory" });
  // Without /proc the path has to do; it was checked when it was opened.
  const anchored = `/proc/self/fd/${fd}`;
  const base = process.platform === "linux" && existsSync(anchored) ? anchored : realPath;
  return { entry: (name) => join(base, name), close: () => closeSync(fd) };
}

function makeDirectory(entry: string, path: string): void {
  try {
    mkdirSync(entry);
  } catch (error) {
    // Another agent may make the same directory at the same time.
    if (systemErrorCode(error) !== "EEXIST") throw fileError("Cannot make the directory", path, error);
  }
}
