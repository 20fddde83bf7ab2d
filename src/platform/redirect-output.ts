import { constants } from "node:os";
import { libc } from "./libc.ts";

const INTERRUPTED_CALLS_MAX = 100;

/**
 * Makes descriptor `to` another name of the open file behind `from`: what is written to `to` goes there from now on.
 * Throws when the system refuses.
 */
export function redirectDescriptor(from: number, to: number): void {
  const { dup2, errno } = libc();
  for (let calls = 0; calls < INTERRUPTED_CALLS_MAX; calls++) {
    if (dup2(from, to) === to) return;
    const code = errno();
    if (code !== constants.errno.EINTR && code !== constants.errno.EBUSY) {
      throw new Error(`Cannot redirect descriptor ${to} to ${from}: the system says error ${code}`);
    }
  }
  throw new Error(`Cannot redirect descriptor ${to} to ${from}: interrupted ${INTERRUPTED_CALLS_MAX} times`);
}
