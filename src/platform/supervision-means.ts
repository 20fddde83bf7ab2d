import { accessSync, constants } from "node:fs";
import { createProcessMarks, newRunMark } from "./process-mark.ts";
import { ownChildren } from "./own-children.ts";
import { hasSubreapers } from "./subreaper.ts";
import { missingForWatchdog } from "./watchdog.ts";

/** By what this machine lets the processes of a run be found and ended. */
export interface SupervisionMeans {
  /** Processes can be marked by a resource limit, which survives whatever they do. */
  readonly canMark: boolean;
  /** The environment with which processes were started can be read. */
  readonly canReadEnvironment: boolean;
  /** A run can adopt what loses its parent, and sees what it has adopted. */
  readonly canAdopt: boolean;
  /** Programs that a watchdog needs and that are missing; undefined where this platform has no watchdog. */
  readonly missingForWatchdog: readonly string[] | undefined;
}

/** Tries on this process what a run would use, and takes it back. Starts nothing. */
export function supervisionMeans(env: Readonly<Record<string, string | undefined>>): SupervisionMeans {
  if (process.platform !== "linux") return { canMark: false, canReadEnvironment: false, canAdopt: false, missingForWatchdog: undefined };
  return {
    canMark: createProcessMarks(newRunMark("attached")) !== undefined,
    canReadEnvironment: canRead("/proc/self/environ"),
    canAdopt: hasSubreapers() && ownChildren() !== undefined,
    missingForWatchdog: missingForWatchdog(env),
  };
}

function canRead(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
