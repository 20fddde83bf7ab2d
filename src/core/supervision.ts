/** By what the processes of a task, or of a whole run, are told from all others. */
export interface ProcessTrace {
  /** `NAME=value` in the environment with which they were started. A program may clear it. */
  readonly variable: string;
  /**
   * What stands in a resource limit of theirs, which no program clears by the way: the mark of a task, or what the marks
   * of all tasks of a run begin with. Absent where the system lets no process be marked.
   */
  readonly mark?: string | undefined;
}

/** How the programs of a run are started, so that whatever comes of them is found again and ends with the run. */
export interface Supervision {
  /** The mark for the processes of one more task; undefined where the system lets no process be marked. */
  newMark(): string | undefined;
  /**
   * Calls `start`, which starts one process and returns at once. That process, and whatever comes of it, carries `mark`,
   * and without one the mark of the run. Throws what `start` throws.
   */
  start<Child extends StartedProcess>(start: () => Child, mark?: string): Child;
  /** Who adopts the processes of the run that lose their parent; undefined where nobody does. */
  adopter(): Adopter | undefined;
}

/** A process below which all processes of a run stay, because it becomes the parent of those that lose theirs. */
export interface Adopter {
  readonly pid: number;
  /** Costs less than a look at all processes. */
  adopted(trace: ProcessTrace): AdoptedProcesses;
}

/** The processes with a trace that were adopted and live. */
export interface AdoptedProcesses {
  readonly pids: readonly number[];
  /** False when one ended during the look: what it had started may have been adopted right after. */
  readonly isSettled: boolean;
}

/** What `Bun.spawn` returns, as far as supervision needs it. */
export interface StartedProcess {
  readonly pid: number;
  /** Resolves when the runtime has collected the process. */
  readonly exited: Promise<unknown>;
}
