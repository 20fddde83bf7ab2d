import { closeSync, constants, fchmodSync, fstatSync, ftruncateSync, openSync } from "node:fs";
import { AppError, systemErrorCode } from "../../core/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import { stringifyWellFormed } from "../../lib/stringify-well-formed.ts";
import { visibleJson } from "../../lib/visible-json.ts";
import { tryLockFile } from "../../platform/file-lock.ts";
import { readFully } from "../../platform/read-fully.ts";
import { writeFully } from "../../platform/write-fully.ts";
import { storageFailure } from "../../store/storage-failure.ts";

/** A cassette that is being written. */
export interface CassetteFile {
  /** Throws an `AppError` of reason `storage`. */
  append(line: object): void;
  close(): void;
}

/** A cassette's first line is much shorter. */
const FIRST_LINE_BYTES_MAX = 65_536;

/**
 * Opens a file for a new recording, for its user alone. What stood in it is gone, where it was a cassette.
 *
 * Throws an `AppError`: `usage` where the path is a link or leads to something that is no cassette, `conflict` while
 * another run records there, `storage` where it cannot be written.
 */
export function openCassetteFile(path: string, header: object): CassetteFile {
  const fd = openToWrite(path);
  const append = (line: object) => {
    try {
      writeFully(fd, Buffer.from(`${visibleJson(stringifyWellFormed(line))}\n`));
    } catch (error) {
      throw storageFailure(`Cannot record to "${path}"`, error);
    }
  };
  try {
    append(header);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  return { append, close: () => closeSync(fd) };
}

const noFollow = constants.O_NOFOLLOW ?? 0;

function openToWrite(path: string): number {
  const fd = create(path) ?? openExisting(path);
  try {
    if (!isReplaceable(fd)) throw notReplaceable(path, "it holds something that is no cassette");
    lock(fd, path);
    fchmodSync(fd, 0o600);
    ftruncateSync(fd, 0);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error instanceof AppError ? error : storageFailure(`Cannot record to "${path}"`, error);
  }
}

/** Undefined where something stands there already. */
function create(path: string): number | undefined {
  try {
    return openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_RDWR | constants.O_APPEND | noFollow, 0o600);
  } catch (error) {
    if (systemErrorCode(error) === "EEXIST") return undefined;
    throw storageFailure(`Cannot record to "${path}"`, error);
  }
}

function openExisting(path: string): number {
  try {
    // Never waits, as opening a pipe would.
    return openSync(path, constants.O_RDWR | constants.O_APPEND | noFollow | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === "ELOOP") throw notReplaceable(path, "it is a link");
    if (code === "EISDIR") throw notReplaceable(path, "it is a directory");
    throw storageFailure(`Cannot record to "${path}"`, error);
  }
}

function isReplaceable(fd: number): boolean {
  const stat = fstatSync(fd);
  if (!stat.isFile()) return false;
  if (stat.size === 0) return true;
  const bytes = new Uint8Array(Math.min(stat.size, FIRST_LINE_BYTES_MAX));
  const text = new TextDecoder().decode(bytes.subarray(0, readFully(fd, bytes, 0)));
  try {
    const first: unknown = JSON.parse(text.slice(0, text.indexOf("\n")));
    return isRecord(first) && first["type"] === "cassette";
  } catch {
    return false;
  }
}

function lock(fd: number, path: string): void {
  if (!tryLockFile(fd)) throw new AppError("conflict", `Cannot record to "${path}": another run is recording there`, { code: "cassette_in_use" });
}

function notReplaceable(path: string, why: string): AppError {
  return new AppError("usage", `Cannot record to "${path}": ${why}`, { code: "not_a_cassette" });
}
