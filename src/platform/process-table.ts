import { readdirSync } from "node:fs";
import { systemErrorCode } from "../core/errors.ts";
import { ENDED_STATES, readProcStat } from "./proc-stat.ts";

/** A living process as `/proc` shows it. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  /** As `ProcessIdentity.startTime`. */
  readonly startTime: string;
}

/**
 * All living processes but this one; a zombie does not live. The newest come first: they are the ones that may be gone
 * soon. Takes a millisecond for every hundred. Empty where there is no `/proc`.
 */
export function readProcessTable(): ProcessEntry[] {
  return processIds()
    .toSorted((one, other) => other - one)
    .map(readProcess)
    .filter((entry) => entry !== undefined)
    .filter(({ pid }) => pid !== process.pid);
}

/** A process as it is now; undefined where it has ended. */
export function readProcess(pid: number): ProcessEntry | undefined {
  const stat = readProcStat(pid);
  if (stat === undefined || ENDED_STATES.has(stat.state)) return undefined;
  return { pid, parent: stat.parent, session: stat.session, startTime: stat.startTime };
}

/** Whether a process seen earlier lives on. */
export function isStillThere(entry: ProcessEntry): boolean {
  return readProcess(entry.pid)?.startTime === entry.startTime;
}

/**
 * Whether the process group may have members. One system call, so it answers at the end of every command; zombies count,
 * and whoever left the group does not.
 */
export function hasProcessGroup(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch (error) {
    return systemErrorCode(error) === "EPERM";
  }
}

function processIds(): number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}
