import { closeSync, writeSync } from "node:fs";
import type { ProcessTrace, StartedProcess } from "../core/supervision.ts";
import { linuxLibc } from "./libc.ts";
import script from "./watchdog.sh" with { type: "text" };

/** A small program beside this one, which ends what this one leaves behind when it is gone without a word. */
export interface Watchdog {
  /** Of the program that watches now. */
  pid(): number | undefined;
  /** Nothing is left: the watchdog goes. Without this it acts as soon as this process has ended, however it did. */
  dismiss(): void;
}

/** A watchdog that somebody ends is replaced, but not for ever. */
const STARTS_MAX = 20;
const O_CLOEXEC = 0o2000000;
const SHELL = "/bin/sh";

/**
 * Starts a watchdog in a session of its own. It holds one end of a pipe and learns by the other end, which only this
 * process holds, that this process is gone. It takes a third of a megabyte and no time.
 *
 * @param options.trace by what it knows the processes that it is to end; `mark` is that of the run
 * @param options.spawn calls what starts a process so that the process is not marked as one of the run
 * @param options.onFailure called once, with the reason, when there is no watchdog any more
 */
export function startWatchdog(options: {
  readonly trace: ProcessTrace;
  readonly spawn: <Child extends StartedProcess>(start: () => Child) => Child;
  readonly onFailure: (reason: string) => void;
}): Watchdog {
  let starts = 0;
  let isDismissed = false;
  let current: { readonly pid: number; readonly writeFd: number } | undefined;

  function start(): void {
    starts++;
    try {
      const pipe = openPipe();
      try {
        const child = options.spawn(() => spawnScript(options.trace, pipe.readFd));
        current = { pid: child.pid, writeFd: pipe.writeFd };
        void child.exited.then(replace);
        child.unref();
      } catch (error) {
        closeSync(pipe.writeFd);
        throw error;
      } finally {
        closeSync(pipe.readFd);
      }
    } catch (error) {
      options.onFailure(error instanceof Error ? error.message : String(error));
    }
  }

  function replace(): void {
    if (isDismissed) return;
    if (current !== undefined) closeSync(current.writeFd);
    current = undefined;
    if (starts < STARTS_MAX) start();
    else options.onFailure(`it ended ${STARTS_MAX} times`);
  }

  start();
  return {
    pid: () => current?.pid,
    dismiss() {
      isDismissed = true;
      if (current === undefined) return;
      sayBye(current.writeFd);
      closeSync(current.writeFd);
      current = undefined;
    },
  };
}

/** The script stands in the environment, so that lists of processes show one short line. */
function spawnScript({ mark = "", variable }: ProcessTrace, stdin: number): Bun.Subprocess {
  return Bun.spawn([SHELL, "-c", 'eval "$AGENT_WATCHDOG"', "agent-watchdog", mark, variable], {
    cwd: "/",
    env: { AGENT_WATCHDOG: script, LC_ALL: "C", PATH: searchPath(process.env) },
    stdio: [stdin, "ignore", "ignore"],
    detached: true,
  });
}

/**
 * The programs that a watchdog needs and this machine does not have.
 *
 * @param options.systemPath where the system has its own programs, for tests
 */
export function missingForWatchdog(env: Env, options: { readonly systemPath?: string } = {}): readonly string[] {
  return [SHELL, "grep", "sleep"].filter((program) => Bun.which(program, { PATH: searchPath(env, options.systemPath) }) === null);
}

type Env = Readonly<Record<string, string | undefined>>;

/** What the system itself has comes first. */
function searchPath(env: Env, systemPath = "/usr/bin:/bin"): string {
  return `${systemPath}:${env["PATH"] ?? ""}`;
}

function openPipe(): { readonly readFd: number; readonly writeFd: number } {
  const ends = new Int32Array(2);
  if (linuxLibc().pipe2(ends, O_CLOEXEC) !== 0) throw new Error("the system gives no pipe; too many files may be open");
  const [readFd = -1, writeFd = -1] = ends;
  return { readFd, writeFd };
}

function sayBye(fd: number): void {
  try {
    writeSync(fd, "bye\n");
  } catch {
    // Somebody has just ended it: then there is nobody to tell.
  }
}
