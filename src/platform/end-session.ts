import { systemErrorCode } from "../core/errors.ts";
import type { ProcessIdentity } from "../core/task-host.ts";
import { isStillThere, type ProcessEntry, provenMembers } from "./process-session.ts";

/** Time between the polite and the forced signal. */
const KILL_GRACE_MS = 5_000;
/** How long the kernel gets to end what was sent SIGKILL; a process in a dead network file system takes longer. */
const KILL_WAIT_MS = 2_000;
const POLL_MS = 5;

export interface EndSessionOptions {
  /** The session's leader, as it was when it was started. */
  readonly process: ProcessIdentity;
  /** `NAME=value` in the environment of everything the session belongs to. Proves membership once the leader is gone. */
  readonly mark: string;
  /** Members seen earlier; one of them that lives proves the session as the leader does. */
  readonly knownMembers?: readonly ProcessEntry[];
  readonly graceMs?: number;
  /** Milliseconds from any fixed point. */
  readonly now?: () => number;
  readonly sleep?: (milliseconds: number) => Promise<void>;
  readonly kill?: (pid: number, signal: NodeJS.Signals) => void;
}

/**
 * Ends a session of processes: SIGTERM, a grace period, SIGKILL, until nothing but zombies is left. Whatever is started
 * meanwhile is ended too. A process that is not proven to belong to the session is never signalled.
 *
 * On systems without `/proc` only the leader's process group is signalled, and only while the leader lives.
 *
 * @returns the pids that outlived SIGKILL or that we may not signal; empty as a rule
 */
export async function endSession(options: EndSessionOptions): Promise<number[]> {
  const now = options.now ?? (() => performance.now());
  const graceEnd = now() + (options.graceMs ?? KILL_GRACE_MS);
  const left = await signalUntilGone("SIGTERM", graceEnd, { ...options, now });
  if (left.length === 0) return [];
  const killed = await signalUntilGone("SIGKILL", now() + KILL_WAIT_MS, { ...options, now, knownMembers: left });
  return killed.map((member) => member.pid);
}

/** Signals each member once, those that turn up later too, until all are gone or time is up; returns who is left. */
async function signalUntilGone(
  signal: NodeJS.Signals,
  deadline: number,
  options: EndSessionOptions & { readonly now: () => number },
): Promise<readonly ProcessEntry[]> {
  const sleep = options.sleep ?? Bun.sleep;
  const kill = options.kill ?? ((pid: number, name: NodeJS.Signals) => void process.kill(pid, name));
  const signalled = new Set<string>();
  let members = options.knownMembers ?? [];
  for (;;) {
    members = provenMembers(options.process, { mark: options.mark, knownMembers: members });
    // One call reaches the whole group at once, so that it cannot fork away; its number is as proven as the session's.
    if (signal === "SIGKILL" && members.length > 0) sendSignal(-options.process.pid, signal, kill);
    for (const member of members) {
      if (signalled.has(keyOf(member))) continue;
      signalled.add(keyOf(member));
      sendSignal(member.pid, signal, kill);
    }
    if (members.length === 0 || options.now() >= deadline) return members;
    await untilGone(members, deadline, { now: options.now, sleep });
  }
}

/** Watching known members is cheap; all of `/proc` is read again only when they are gone, or now and then. */
async function untilGone(
  members: readonly ProcessEntry[],
  deadline: number,
  options: { readonly now: () => number; readonly sleep: (milliseconds: number) => Promise<void> },
): Promise<void> {
  const lookAgain = Math.min(deadline, options.now() + LOOK_AGAIN_MS);
  do await options.sleep(POLL_MS);
  while (options.now() < lookAgain && members.some(isStillThere));
}

const LOOK_AGAIN_MS = 100;

function keyOf(member: ProcessEntry): string {
  return `${member.pid} ${member.startTime}`;
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
