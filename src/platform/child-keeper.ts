import type { AdoptedProcesses, StartedProcess } from "../core/supervision.ts";
import { ownChildren } from "./own-children.ts";
import { readProcess } from "./process-table.ts";
import { reapZombies } from "./reap-zombies.ts";

/** Knows which children of this process the runtime collects, and collects the others when they have ended. */
export interface ChildKeeper {
  /** Counts a child as the runtime's until the runtime has collected it. */
  remember<Child extends StartedProcess>(child: Child): Child;
  /** From now on zombies are collected soon after they come up. */
  listen(): void;
  /** The living children that the runtime did not start, as far as they are wanted. */
  adopted(isWanted: (pid: number) => boolean): AdoptedProcesses;
  /** All children, but for adopted ones that have ended; undefined where the system does not tell. */
  all(): readonly number[] | undefined;
  close(): void;
}

/** Zombies cost nothing but their numbers: those of a moment are collected at once. */
const REAP_DELAY_MS = 100;

export function createChildKeeper(): ChildKeeper {
  const started = new Set<number>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  function reap(): void {
    timer = undefined;
    reapZombies((pid) => started.has(pid));
  }

  function reapSoon(): void {
    timer ??= setTimeout(reap, REAP_DELAY_MS).unref();
  }

  function all(): readonly number[] | undefined {
    // What had ended before the look has nothing left to be adopted.
    reapZombies((pid) => started.has(pid));
    return ownChildren();
  }

  return {
    remember(child) {
      started.add(child.pid);
      void child.exited.then(() => started.delete(child.pid));
      return child;
    },
    listen() {
      process.off("SIGCHLD", reapSoon);
      process.on("SIGCHLD", reapSoon);
    },
    adopted(isWanted) {
      const children = (all() ?? []).filter((pid) => !started.has(pid));
      const living = children.filter((pid) => readProcess(pid) !== undefined);
      return { pids: living.filter(isWanted), isSettled: living.length === children.length };
    },
    all,
    close() {
      process.off("SIGCHLD", reapSoon);
      clearTimeout(timer);
    },
  };
}
