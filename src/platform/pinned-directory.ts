import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, statSync, type Stats } from "node:fs";
import { join } from "node:path";
import { AppError, errorMessage, systemErrorCode } from "../core/errors.ts";

/**
 * A private directory that was checked and is held open. Its entries are reached through the open descriptor, so that
 * renaming the directory, or putting a link in its place, leads nobody elsewhere.
 */
export interface PinnedDirectory {
  /** Where it stood when it was opened, for people. */
  readonly path: string;
  readonly fd: number;
  /** A path to the directory itself through the descriptor, for listing what is in it; valid as those of `entry` are. */
  readonly entries: string;
  /** A path to the entry through the descriptor, valid in this process until `close`. Throws for what is no plain name. */
  entry(name: string): string;
  /** Opens a directory inside, checked like this one. */
  subdirectory(name: string, options: { readonly create: boolean }): PinnedDirectory;
  close(): void;
}

const DIRECTORY_MODE = 0o700;
const FORBIDDEN_MODE_BITS = 0o077;

/**
 * Opens a directory that only we can use: no link, owned by us, nothing for group and others.
 *
 * Throws an `AppError` of reason `storage` that names the path and what is wrong with it. Nothing is mended: whoever made
 * the directory as it is may be somebody else.
 *
 * @param options.create makes the directory where nothing stands, with mode 0700; its parent must exist
 */
export function openPinnedDirectory(path: string, options: { readonly create: boolean }): PinnedDirectory {
  return open({ openPath: path, path, create: options.create });
}

function open({ openPath, path, create }: { readonly openPath: string; readonly path: string; readonly create: boolean }): PinnedDirectory {
  if (create) makeDirectory(openPath, path);
  const fd = openDirectory(openPath, path);
  try {
    checkPrivate({ stat: fstatSync(fd), openPath, path });
    checkReachable(fd, path);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  return pinned(fd, path);
}

function makeDirectory(openPath: string, path: string): void {
  try {
    mkdirSync(openPath, { mode: DIRECTORY_MODE });
  } catch (error) {
    if (systemErrorCode(error) !== "EEXIST") throw unusable(path, errorMessage(error), error);
  }
}

function openDirectory(openPath: string, path: string): number {
  try {
    return openSync(openPath, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === "ENOENT") throw unusable(path, "it does not exist", error);
    if (code === "ENOTDIR" || code === "ELOOP") throw unusable(path, "it is a link or no directory", error);
    throw unusable(path, errorMessage(error), error);
  }
}

function checkPrivate({ stat, openPath, path }: { readonly stat: Stats; readonly openPath: string; readonly path: string }): void {
  if (!stat.isDirectory()) throw unusable(path, "it is no directory");
  // Windows has neither owners nor modes here, and cannot be told to open no link.
  if (constants.O_NOFOLLOW === undefined && lstatSync(openPath).isSymbolicLink()) throw unusable(path, "it is a link");
  const user = process.geteuid?.();
  if (user === undefined) return;
  if (stat.uid !== user) throw unusable(path, `it belongs to user ${stat.uid}, and we are user ${user}`);
  if ((stat.mode & FORBIDDEN_MODE_BITS) !== 0) {
    throw unusable(path, `its mode is 0${(stat.mode & 0o777).toString(8)}, which lets other users in; 0700 is needed`);
  }
}

/** Entries go through /proc on Linux. Without it every later open would fail with a message that explains nothing. */
function checkReachable(fd: number, path: string): void {
  if (process.platform !== "linux") return;
  const own = fstatSync(fd);
  const seen = statSync(`/proc/self/fd/${fd}`, { throwIfNoEntry: false });
  if (seen?.ino !== own.ino || seen.dev !== own.dev) throw unusable(path, "/proc is not mounted, and files are opened through it");
}

function pinned(fd: number, path: string): PinnedDirectory {
  const base = process.platform === "linux" ? `/proc/self/fd/${fd}` : path;
  let isOpen = true;
  function entry(name: string): string {
    // The number of a closed descriptor soon belongs to another file.
    if (!isOpen) throw new Error(`Cannot reach "${name}" in directory "${path}": the directory was closed`);
    if (!isPlainName(name)) throw new Error(`Cannot reach "${name}" in directory "${path}": it is not the name of an entry`);
    return `${base}/${name}`;
  }
  return {
    path,
    fd,
    entries: base,
    entry,
    subdirectory: (name, { create }) => open({ openPath: entry(name), path: join(path, name), create }),
    close() {
      if (!isOpen) return;
      isOpen = false;
      closeSync(fd);
    },
  };
}

function isPlainName(name: string): boolean {
  return name !== "" && name !== "." && name !== ".." && !/[/\0]/.test(name) && (process.platform !== "win32" || !/[\\:]/.test(name));
}

function unusable(path: string, why: string, cause?: unknown): AppError {
  return new AppError("storage", `Cannot use directory "${path}": ${why}`, { code: "unusable_directory", cause });
}
