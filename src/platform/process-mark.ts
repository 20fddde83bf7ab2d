import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import type { ProcessTrace } from "../core/supervision.ts";
import { type LinuxLibc, linuxLibc } from "./libc.ts";

// A mark is the soft limit of RLIMIT_RTTIME: microseconds that a real-time process may compute without a pause. Children
// inherit it through fork, exec, setsid and an emptied environment, anybody can read it, and it is without effect: the
// least mark allows 63,000 years. Written in decimal, a mark has 19 digits: one for the kind of the run, twelve that are
// random and the run's own, six that count its tasks.

/**
 * - `attached`: ends with whatever started it
 * - `detached`: was handed over on purpose and goes on
 */
export type RunKind = "attached" | "detached";

const KIND_DIGITS: Readonly<Record<RunKind, string>> = { attached: "2", detached: "3" };
const MARK_PATTERN = /^[23]\d{18}$/;
const RUN_MARK_LENGTH = 13;
const TASK_MARKS_MAX = 999_999;
const RLIMIT_RTTIME = 15;

/** The mark of watchdogs: detached, so that nobody ends them with the processes of a run. */
const WATCHDOG_MARK = `${KIND_DIGITS.detached}${"0".repeat(18)}`;

/** What the marks of a new run begin with. */
export function newRunMark(kind: RunKind, random: (max: number) => number = randomInt): string {
  return `${KIND_DIGITS[kind]}${String(random(10 ** 12)).padStart(12, "0")}`;
}

/** Gives marks to the children of this process. */
export interface ProcessMarks {
  /** The mark of one more task. After a million they repeat. */
  next(): string;
  /** Calls `start`; the processes it starts carry `mark`, and without one that of the run. This process does not. */
  around<Value>(start: () => Value, mark?: string): Value;
  /** As `around`, with the mark that keeps a watchdog from being ended with what it watches. */
  aroundWatchdog<Value>(start: () => Value): Value;
}

/**
 * Makes this process the one that marks the processes of a run. An attached run's own process keeps what it has
 * inherited: it belongs to the task that started it. A detached one's gets the mark of its run instead.
 *
 * @param system the system calls, for tests
 * @returns undefined where the system has no such limit, or its hard limit leaves no room
 */
export function createProcessMarks(runMark: string, system: () => Pick<LinuxLibc, "getrlimit" | "setrlimit"> = linuxLibc): ProcessMarks | undefined {
  if (process.platform !== "linux") return undefined;
  const { getrlimit, setrlimit } = system();
  const limits = new BigUint64Array(2);
  if (getrlimit(RLIMIT_RTTIME, limits) !== 0) return undefined;
  const [soft = 0n, hard = 0n] = limits;
  const setMark = (mark: string | bigint): boolean => setrlimit(RLIMIT_RTTIME, new BigUint64Array([BigInt(mark), hard])) === 0;
  const markOfRun = `${runMark}${"0".repeat(6)}`;
  const own = runMark.startsWith(KIND_DIGITS.detached) ? markOfRun : soft;
  // What a sandbox only pretends to set is not there when it is read back.
  const canMark = setMark(markOfRun) && markOf(process.pid) === markOfRun;
  setMark(own);
  if (!canMark) return undefined;

  let tasks = 0;
  function around<Value>(start: () => Value, mark = markOfRun): Value {
    setMark(mark);
    try {
      return start();
    } finally {
      setMark(own);
    }
  }
  return {
    next: () => `${runMark}${String((tasks++ % TASK_MARKS_MAX) + 1).padStart(6, "0")}`,
    around,
    aroundWatchdog: (start) => around(start, WATCHDOG_MARK),
  };
}

/** The mark that a process carries; undefined where it carries none or has gone. Zombies still carry theirs. */
export function markOf(pid: number): string | undefined {
  try {
    const mark = LIMIT_LINE.exec(readFileSync(`/proc/${pid}/limits`, "latin1"))?.[1];
    return mark !== undefined && MARK_PATTERN.test(mark) ? mark : undefined;
  } catch {
    return undefined;
  }
}

const LIMIT_LINE = /^Max realtime timeout +(\d+) /m;

/** Whether a process carries the mark, or the variable in the environment it was started with. */
export function carriesTrace(pid: number, { mark, variable }: ProcessTrace): boolean {
  return (mark !== undefined && markOf(pid)?.startsWith(mark) === true) || environmentOf(pid).includes(`\0${variable}\0`);
}

/** Whether a process belongs to a run that goes on although the run of `trace` ends. */
export function isHandedOver(pid: number, { mark }: ProcessTrace): boolean {
  const found = markOf(pid);
  return found?.startsWith(KIND_DIGITS.detached) === true && !(mark !== undefined && found.startsWith(mark.slice(0, RUN_MARK_LENGTH)));
}

/** Empty where the process has gone or may not be looked at. */
function environmentOf(pid: number): string {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, "latin1")}\0`;
  } catch {
    return "";
  }
}
