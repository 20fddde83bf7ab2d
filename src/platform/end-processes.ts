import { systemErrorCode } from "../core/errors.ts";
import { endProcessTrees } from "./end-process-trees-windows.ts";
import { findProcesses, type ProcessSearch } from "./find-processes.ts";
import { isStillThere, type ProcessEntry } from "./process-table.ts";

/** Time between the polite and the forced signal. */
const KILL_GRACE_MS = 5_000;
/** How long the kernel gets to end what was sent SIGKILL; a process in a dead network file system takes longer. */
const KILL_WAIT_MS = 2_000;
const POLL_MS = 5;
/** Watching known processes is cheap; all others are looked at again only when these are gone, or now and then. */
const LOOK_AGAIN_MS = 100;
/** One look may miss what was started during it. */
const EMPTY_LOOKS = 2;

export interface EndProcessesOptions extends ProcessSearch {
  /** Processes that were found earlier. */
  readonly known?: readonly ProcessEntry[];
  /** 5 s unless given. */
  readonly graceMs?: number | undefined;
  /** Milliseconds from any fixed point. */
  readonly now?: () => number;
  readonly sleep?: (milliseconds: number) => Promise<void>;
  readonly kill?: (pid: number, signal: NodeJS.Signals) => void;
}

/**
 * Ends all processes that a search finds: SIGTERM, a grace period, SIGKILL, until two looks find nothing but zombies.
 * Whatever is started meanwhile is ended too. A process that is not proven to be one of them is never signalled.
 *
 * On systems without `/proc` only the leaders' process groups are signalled, and only while the leaders live.
 *
 * @returns the pids that outlived SIGKILL or that we may not signal; empty as a rule
 */
export async function endProcesses(options: EndProcessesOptions): Promise<number[]> {
  if (process.platform === "win32") return await endProcessTrees(options.leaders);
  const now = options.now ?? (() => performance.now());
  const graceEnd = now() + (options.graceMs ?? KILL_GRACE_MS);
  const left = await signalUntilGone("SIGTERM", graceEnd, { ...options, now });
  if (left.length === 0) return [];
  const killed = await signalUntilGone("SIGKILL", now() + KILL_WAIT_MS, { ...options, now, known: left });
  return killed.map(({ pid }) => pid);
}

type Signalling = EndProcessesOptions & { readonly now: () => number };

/** Signals each process once, those that turn up later too, until all are gone or time is up; returns who is left. */
async function signalUntilGone(signal: NodeJS.Signals, deadline: number, options: Signalling): Promise<readonly ProcessEntry[]> {
  const kill = options.kill ?? ((pid: number, name: NodeJS.Signals) => void process.kill(pid, name));
  const sleep = options.sleep ?? Bun.sleep;
  const signalled = new Set<string>();
  let found = options.known ?? [];
  for (let emptyLooks = 0; emptyLooks < EMPTY_LOOKS; ) {
    const look = findProcesses(options, found);
    found = look.entries;
    if (found.length === 0) {
      emptyLooks = look.isSettled || options.now() >= deadline ? emptyLooks + 1 : 0;
      // Whatever else this process does goes on meanwhile.
      if (emptyLooks === 0) await sleep(1);
      continue;
    }
    emptyLooks = 0;
    if (signal === "SIGKILL") killGroups(options, found, kill);
    for (const entry of found.filter((each) => !signalled.has(keyOf(each)))) {
      signalled.add(keyOf(entry));
      sendSignal(entry.pid, signal, kill);
    }
    if (options.now() >= deadline) return found;
    await untilGone(found, deadline, options);
  }
  return [];
}

/** One call reaches a whole group at once, so that it cannot fork away; its number is as proven as the session's. */
function killGroups({ leaders }: ProcessSearch, found: readonly ProcessEntry[], kill: (pid: number, signal: NodeJS.Signals) => void): void {
  for (const { pid } of leaders) if (found.some(({ session }) => session === pid)) sendSignal(-pid, "SIGKILL", kill);
}

async function untilGone(found: readonly ProcessEntry[], deadline: number, options: Signalling): Promise<void> {
  const sleep = options.sleep ?? Bun.sleep;
  const lookAgain = Math.min(deadline, options.now() + LOOK_AGAIN_MS);
  do await sleep(POLL_MS);
  while (options.now() < lookAgain && found.some(isStillThere));
}

function keyOf(entry: ProcessEntry): string {
  return `${entry.pid} ${entry.startTime}`;
}

function sendSignal(pid: number, signal: NodeJS.Signals, kill: (pid: number, signal: NodeJS.Signals) => void): void {
  try {
    kill(pid, signal);
    // A stopped process would leave a signal that it handles for later.
    if (signal !== "SIGKILL") kill(pid, "SIGCONT");
  } catch (error) {
    // ESRCH: it ended by itself. EPERM: it changed its user; the caller is told that it is still there.
    if (systemErrorCode(error) !== "ESRCH" && systemErrorCode(error) !== "EPERM") throw error;
  }
}
