import { linuxLibc } from "./libc.ts";
import { ownChildren } from "./own-children.ts";
import { readProcStat } from "./proc-stat.ts";

const WNOHANG = 1;

/**
 * Collects the zombies that this process has adopted, each by its number: `waitpid(-1)` would take the children of the
 * runtime from it, which then ends the program.
 *
 * @param isRuntimes whether a child is one that the runtime started and collects itself
 */
export function reapZombies(isRuntimes: (pid: number) => boolean): void {
  const status = new Int32Array(1);
  for (const pid of ownChildren() ?? []) {
    if (!isRuntimes(pid) && readProcStat(pid)?.state === "Z") linuxLibc().waitpid(pid, status, WNOHANG);
  }
}
