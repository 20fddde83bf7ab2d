import { readdirSync, readFileSync } from "node:fs";
import { systemErrorCode } from "../core/errors.ts";
import type { ProcessIdentity } from "../core/task-host.ts";
import { ENDED_STATES, readProcStat } from "./proc-stat.ts";
import { isSameProcess } from "./process-identity.ts";

/** A living process as `/proc` shows it. */
export interface ProcessEntry {
  readonly pid: number;
  readonly session: number;
  /** As `ProcessIdentity.startTime`. */
  readonly startTime: string;
}

/**
 * The living processes of a session, zombies left out: what a session leader started, but for those that made a session
 * of their own. Reads all of `/proc`, which takes milliseconds. Empty where there is no `/proc`.
 */
export function sessionMembers(session: number): ProcessEntry[] {
  return processIds()
    .map(readProcess)
    .filter((entry) => entry !== undefined)
    .filter((entry) => entry.session === session);
}

/**
 * The members of the session that `leader` led; none when its number has been given to a later session.
 *
 * The number is the session's own while the leader or a member seen earlier lives, or where a member carries the mark: a
 * process cannot move to a session that exists. Where there is no `/proc`, the leader stands for its whole process
 * group, as a negative pid, for as long as it lives.
 *
 * @param options.mark `NAME=value` in the environment with which everything in the session was started
 */
export function provenMembers(
  leader: ProcessIdentity,
  options: { readonly mark: string; readonly knownMembers: readonly ProcessEntry[] },
): ProcessEntry[] {
  if (!HAS_PROC) return isSameProcess(leader) ? [{ pid: -leader.pid, session: leader.pid, startTime: leader.startTime }] : [];
  const members = sessionMembers(leader.pid);
  if (members.length === 0) return [];
  const isProven = isSameProcess(leader) || options.knownMembers.some(isStillThere);
  return isProven || members.some((member) => carriesMark(member.pid, options.mark)) ? members : [];
}

const HAS_PROC = process.platform === "linux";

/** A session of which a living process carries a mark. */
export interface MarkedSession {
  readonly mark: string;
  readonly session: number;
}

/**
 * Where one of `marks` is carried now beside the mark `common`. Reads the environment of all processes. Empty where there
 * is no `/proc`.
 */
export function markedSessions(marks: ReadonlySet<string>, common: string): MarkedSession[] {
  const found = new Map<string, MarkedSession>();
  for (const pid of processIds()) {
    const environment = environmentOf(pid);
    const mark = environment.includes(common) ? environment.find((entry) => marks.has(entry)) : undefined;
    const session = mark === undefined ? undefined : readProcess(pid)?.session;
    // A session of another namespace has no number here.
    if (mark !== undefined && session !== undefined && session > 0) found.set(`${mark} ${session}`, { mark, session });
  }
  return [...found.values()];
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

function readProcess(pid: number): ProcessEntry | undefined {
  const stat = readProcStat(pid);
  if (stat === undefined || ENDED_STATES.has(stat.state)) return undefined;
  return { pid, session: stat.session, startTime: stat.startTime };
}

function carriesMark(pid: number, mark: string): boolean {
  return environmentOf(pid).includes(mark);
}

/** `NAME=value` each; empty where the process has gone or may not be looked at. */
function environmentOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
  } catch {
    return [];
  }
}
