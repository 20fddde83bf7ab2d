import { readdirSync, readlinkSync } from "node:fs";

/**
 * The processes whose working directory is wanted, this one excepted. Of other users' processes nothing can be seen, and
 * where there is no `/proc` of none.
 */
export function processesIn(isWanted: (directory: string) => boolean): number[] {
  return processIds().filter((pid) => {
    if (pid === process.pid) return false;
    try {
      return isWanted(readlinkSync(`/proc/${pid}/cwd`));
    } catch {
      return false;
    }
  });
}

function processIds(): number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}
