import { constants } from "node:os";
import { AppError } from "../core/errors.ts";
import { libc } from "./libc.ts";

const LOCK_EXCLUSIVE = 2;
const LOCK_NON_BLOCKING = 4;

/**
 * Takes the exclusive lock of an open file without waiting. The lock goes with the open file: closing the descriptor, and
 * any end of the process, gives it back.
 *
 * Throws an `AppError` of reason `storage` where files cannot be locked; that never means that somebody holds the lock.
 *
 * @returns false when somebody else holds it
 */
export function tryLockFile(fd: number): boolean {
  const { flock, errno } = libc();
  if (flock(fd, LOCK_EXCLUSIVE | LOCK_NON_BLOCKING) === 0) return true;
  const code = errno();
  if (code === constants.errno.EWOULDBLOCK) return false;
  throw new AppError("storage", `Cannot lock descriptor ${fd}: the system says error ${code}`, { code: "lock_failed" });
}
