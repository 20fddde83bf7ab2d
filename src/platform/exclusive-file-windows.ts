import { closeSync, constants, fstatSync, lstatSync, openSync, type BigIntStats } from "node:fs";

export interface ExclusiveFileSystem {
  open(path: string, flags: string, mode: number): number;
  close(fd: number): void;
  fstat(fd: number): Identity;
  lstat(path: string): Identity;
}

type Identity = Pick<BigIntStats, "dev" | "ino" | "nlink" | "isFile">;

/**
 * `openExclusiveFile` for a system whose open cannot be told to follow no link. "ax" is CREATE_NEW there, which fails on
 * everything that exists; afterwards the path and the descriptor must name the same, single regular file.
 *
 * Throws the system's error, or an error with code EEXIST when the path turned out to name something else.
 *
 * @param fileSystem for tests
 */
export function openExclusiveFileWindows(path: string, fileSystem: ExclusiveFileSystem = realFileSystem()): number {
  const fd = fileSystem.open(path, "ax", 0o600);
  try {
    if (!isSameSingleFile(fileSystem.fstat(fd), fileSystem.lstat(path))) {
      throw Object.assign(new Error(`Cannot create "${path}": the path names another file than the one created`), { code: "EEXIST" });
    }
  } catch (error) {
    fileSystem.close(fd);
    throw error;
  }
  return fd;
}

function isSameSingleFile(opened: Identity, named: Identity): boolean {
  return opened.isFile() && named.isFile() && opened.dev === named.dev && opened.ino === named.ino && opened.nlink === 1n;
}

function realFileSystem(): ExclusiveFileSystem {
  // Where open can refuse links, this way would be the weaker one.
  if (constants.O_NOFOLLOW !== undefined) throw new Error("The fallback for Windows was called on a system that has O_NOFOLLOW");
  return {
    open: openSync,
    close: closeSync,
    fstat: (fd) => fstatSync(fd, { bigint: true }),
    lstat: (path) => lstatSync(path, { bigint: true }),
  };
}
