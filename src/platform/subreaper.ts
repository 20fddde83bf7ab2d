import { ptr } from "bun:ffi";
import { linuxLibc } from "./libc.ts";

const PR_SET_CHILD_SUBREAPER = 36;
const PR_GET_CHILD_SUBREAPER = 37;

/**
 * From now on this process, and not the first of the machine, becomes the parent of its descendants that lose theirs.
 * Somebody has to collect them: see `reapZombies`.
 *
 * @returns false where the system has no such thing
 */
export function becomeSubreaper(): boolean {
  return process.platform === "linux" && linuxLibc().prctl(PR_SET_CHILD_SUBREAPER, 1n, 0n, 0n, 0n) === 0;
}

/** Whether the system has such a thing. Changes nothing. */
export function hasSubreapers(): boolean {
  const answer = new Int32Array(1);
  return process.platform === "linux" && linuxLibc().prctl(PR_GET_CHILD_SUBREAPER, BigInt(ptr(answer)), 0n, 0n, 0n) === 0;
}
