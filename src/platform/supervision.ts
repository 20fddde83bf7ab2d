import type { AdoptedProcesses, Adopter, ProcessTrace, Supervision } from "../core/supervision.ts";
import { once } from "../lib/once.ts";
import { createChildKeeper } from "./child-keeper.ts";
import { endProcesses } from "./end-processes.ts";
import type { ProcessSearch } from "./find-processes.ts";
import { haltProcesses, resumeProcesses } from "./halt-processes.ts";
import { carriesTrace, createProcessMarks, isHandedOver } from "./process-mark.ts";
import type { ProcessEntry } from "./process-table.ts";
import { becomeSubreaper } from "./subreaper.ts";
import { startWatchdog, type Watchdog } from "./watchdog.ts";

/** The supervision of one run, by the process that owns it. */
export interface RunSupervision extends Supervision {
  /**
   * Ends whatever is left of the run's processes: politely, then surely.
   *
   * @returns the pids that nothing could end; empty as a rule
   */
  end(options?: { readonly graceMs?: number }): Promise<number[]>;
  /** Halts all processes of the run. */
  halt(): void;
  /** Lets those go on that `halt` halted. */
  resume(): void;
  /** Of the watchdog; undefined before anything was started, and where there is none. */
  watchdogPid(): number | undefined;
  /** Lets go. Where `end` was not reached, the watchdog looks as soon as this process has ended. */
  close(): void;
}

/**
 * Supervises the processes of a run from the process that owns it. What costs time is done when the run starts the first
 * of them: before, there is nothing that could be lost.
 *
 * @param options.runMark what the marks of the run begin with
 * @param options.variable `NAME=value` in the environment of all processes that the run starts
 * @param options.onProblem told what does not work although the system has it
 */
export function superviseRun(options: {
  readonly runMark: string;
  readonly variable: string;
  /** Whether the run goes on after whatever started it. */
  readonly isDetached: boolean;
  readonly onProblem: (text: string) => void;
}): RunSupervision {
  const marks = once(() => createProcessMarks(options.runMark));
  const children = createChildKeeper();
  let watchdog: Watchdog | undefined;
  let adopter: Adopter | undefined;
  let hasBegun = false;
  let hasEnded = false;
  let halted: readonly ProcessEntry[] = [];

  // Until it carries the mark of its own run it counts as part of the one in which it was started.
  if (options.isDetached) marks();
  // The first process of a container has others to collect than those it started.
  if (process.pid === 1) children.listen();

  const begin = once(() => {
    hasBegun = true;
    if (process.platform !== "linux") return;
    // It must be there before the first process that it may have to end.
    watchdog = startWatchdog({
      trace: runTrace(),
      spawn: (start) => children.remember(marks()?.aroundWatchdog(start) ?? start()),
      onFailure: (reason) => options.onProblem(`If this run is killed, what it started may go on: there is no watchdog: ${reason}`),
    });
    if (becomeSubreaper()) adopter = { pid: process.pid, adopted: (trace) => children.adopted((pid) => carriesTrace(pid, trace)) };
    children.listen();
  });

  function runTrace(): ProcessTrace {
    return { variable: options.variable, mark: marks() === undefined ? undefined : options.runMark };
  }

  function search(): ProcessSearch {
    return { trace: runTrace(), leaders: [], adopter: adopter === undefined ? undefined : { ...adopter, adopted: adoptedByRun } };
  }

  /** Some programs shed every trace, as `sudo` does; whoever was adopted came from this run all the same. */
  function adoptedByRun(trace: ProcessTrace): AdoptedProcesses {
    return children.adopted((pid) => carriesTrace(pid, trace) || (marks() !== undefined && !isHandedOver(pid, trace)));
  }

  /** Everything that descends from this process hangs below one of its children. */
  function isAlone(): boolean {
    const pids = adopter === undefined ? undefined : children.all();
    return pids !== undefined && pids.every((pid) => pid === watchdog?.pid() || isHandedOver(pid, runTrace()));
  }

  return {
    newMark() {
      begin();
      return marks()?.next();
    },
    start(start, mark) {
      begin();
      return children.remember(marks()?.around(start, mark) ?? start());
    },
    adopter: () => adopter,
    async end({ graceMs } = {}) {
      // What came up during the first look at the children is seen by the second.
      const isNothingLeft = !hasBegun || (isAlone() && isAlone());
      const left = isNothingLeft ? [] : await endProcesses({ ...search(), graceMs });
      hasEnded = true;
      return left;
    },
    halt() {
      if (hasBegun) halted = haltProcesses(search());
    },
    resume() {
      resumeProcesses(halted);
      halted = [];
    },
    watchdogPid: () => watchdog?.pid(),
    close() {
      children.close();
      if (hasEnded) watchdog?.dismiss();
    },
  };
}
