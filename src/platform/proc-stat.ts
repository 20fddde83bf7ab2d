import { readFileSync } from "node:fs";

/** What Linux says of a process in `/proc/PID/stat`. */
export interface ProcStat {
  /** One letter, as `ps` has it. */
  readonly state: string;
  readonly parent: number;
  readonly session: number;
  /** In ticks since the boot. */
  readonly startTime: string;
}

/** The states of a process that has ended and of which only the entry is left. */
export const ENDED_STATES: ReadonlySet<string> = new Set(["Z", "X", "x"]);

/** Undefined where there is no such process, or no `/proc`. */
export function readProcStat(pid: number): ProcStat | undefined {
  try {
    return parse(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return undefined;
  }
}

/** The second field is the program's name in parentheses, which may itself hold spaces and parentheses. */
function parse(stat: string): ProcStat | undefined {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, parent, session, startTime] = [fields[0], fields[PARENT_FIELD], fields[SESSION_FIELD], fields[START_TIME_FIELD]];
  return state === undefined || startTime === undefined ? undefined : { state, parent: Number(parent), session: Number(session), startTime };
}

/** Counted behind the name: fields 4, 6 and 22 of the line. */
const PARENT_FIELD = 1;
const SESSION_FIELD = 3;
const START_TIME_FIELD = 19;
