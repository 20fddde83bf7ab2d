import { closeSync, constants, openSync, readlinkSync } from "node:fs";
import { AppError } from "../core/errors.ts";
import { foldPath } from "../lib/fold-path.ts";
import { fileError } from "./file-error.ts";

/**
 * Opens what stands at a path that `resolveRealPath` gave, never waiting, as opening a pipe would, and never through a
 * link: a decision about the path must hold for what is opened.
 *
 * @param options.action what is said when it fails, as in `Cannot read`
 */
export function openRealPath(realPath: string, flags: number, options: { readonly action: string }): number {
  // Windows has neither constant.
  const guards = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);
  let fd: number;
  try {
    fd = openSync(realPath, flags | guards);
  } catch (error) {
    throw fileError(options.action, realPath, error);
  }
  const opened = openedPath(fd);
  // Compared in folded form: a file system that ignores case reports the spelling it knows.
  if (opened === undefined || foldPath(opened) === foldPath(realPath)) return fd;
  closeSync(fd);
  throw new AppError("conflict", `${options.action} "${realPath}": a part of the path was replaced by a link in the meantime`);
}

/**
 * Where an open file stands. O_NOFOLLOW looks at the last component only, so a directory on the way that became a link
 * shows here alone. Undefined where the system cannot say: only Linux with /proc can.
 */
function openedPath(fd: number): string | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return undefined;
  }
}
