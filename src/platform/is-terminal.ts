import { fstatSync } from "node:fs";

/** The null device, which is a character device as terminals are: 1:3 on Linux. */
const NULL_DEVICE = 0x103;

/**
 * Whether a descriptor is a terminal. False where it is closed.
 *
 * The runtime's own answer loads its terminal streams, which costs a third of a whole start, so it is asked only about
 * what may be a terminal.
 */
export function isTerminal(fd: number): boolean {
  try {
    const stat = fstatSync(fd);
    if (!stat.isCharacterDevice() || stat.rdev === NULL_DEVICE) return false;
    return process.getBuiltinModule("node:tty").isatty(fd);
  } catch {
    return false;
  }
}
