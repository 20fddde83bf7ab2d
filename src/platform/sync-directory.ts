import { fsyncSync } from "node:fs";
import { systemErrorCode } from "../core/errors.ts";

/**
 * Waits until the names in a directory are on disk: a file that is there is worth nothing without its name. Throws the
 * system's error, but not where a file system has nothing of the kind.
 */
export function syncDirectory(fd: number): void {
  try {
    fsyncSync(fd);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code !== "EINVAL" && code !== "ENOTSUP" && code !== "EPERM") throw error;
  }
}
