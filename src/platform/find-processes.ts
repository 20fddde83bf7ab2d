import type { Adopter, ProcessTrace } from "../core/supervision.ts";
import type { ProcessIdentity } from "../core/task-host.ts";
import { isSameProcess } from "./process-identity.ts";
import { carriesTrace, isHandedOver } from "./process-mark.ts";
import { isStillThere, type ProcessEntry, readProcess, readProcessTable } from "./process-table.ts";

/** What is known of the processes of a task, or of a whole run. */
export interface ProcessSearch {
  readonly trace: ProcessTrace;
  /** Leaders of the sessions that were started for it, as they were then. */
  readonly leaders: readonly ProcessIdentity[];
  /** The process below which all of them are; without one, every process of the machine is looked at. */
  readonly adopter?: Adopter | undefined;
}

export interface FoundProcesses {
  readonly entries: readonly ProcessEntry[];
  /** False when one may have been missed, because it was started while another one ended. */
  readonly isSettled: boolean;
}

/**
 * The living processes that a search is for: those with its trace or in one of its sessions, those of `known` that still
 * live, and what descends from any of them, but for runs that were handed over on purpose. Never this process.
 *
 * A session's number is its own while its leader or a member seen earlier lives, or where a member carries the trace: a
 * process cannot move to a session that exists. Where there is no `/proc`, a leader stands for its whole process group,
 * as a negative pid, for as long as it lives.
 *
 * @param known processes that were found earlier
 */
export function findProcesses(search: ProcessSearch, known: readonly ProcessEntry[] = []): FoundProcesses {
  if (process.platform !== "linux") return { entries: livingGroups(search.leaders), isSettled: true };
  const table = readProcessTable();
  const children = Map.groupBy(table, ({ parent }) => parent);
  const candidates = search.adopter === undefined ? table : withDescendants(children.get(search.adopter.pid) ?? [], children, () => false);
  const living = known.filter(isStillThere);
  const traced = candidates.filter(({ pid }) => carriesTrace(pid, search.trace));
  const sessions = ownSessions(search.leaders, table, [...living, ...traced]);
  const members = candidates.filter(({ session }) => sessions.has(session));
  // They come last and fresh: one that is always another process is here, whatever the table says.
  const adopted = search.adopter?.adopted(search.trace) ?? { pids: [], isSettled: true };
  const orphans = adopted.pids.map(readProcess).filter((entry) => entry !== undefined);
  return {
    entries: withDescendants([...living, ...traced, ...members, ...orphans], children, ({ pid }) => isHandedOver(pid, search.trace)),
    isSettled: adopted.isSettled && orphans.length === adopted.pids.length,
  };
}

function livingGroups(leaders: readonly ProcessIdentity[]): ProcessEntry[] {
  return leaders.filter((leader) => isSameProcess(leader)).map(({ pid, startTime }) => ({ pid: -pid, parent: 0, session: pid, startTime }));
}

/** The sessions of leaders whose numbers have not been given to somebody else. */
function ownSessions(leaders: readonly ProcessIdentity[], table: readonly ProcessEntry[], proven: readonly ProcessEntry[]): Set<number> {
  const isOwn = (leader: ProcessIdentity): boolean =>
    proven.some(({ session }) => session === leader.pid) || table.some(({ pid, startTime }) => pid === leader.pid && startTime === leader.startTime);
  return new Set(leaders.filter(isOwn).map(({ pid }) => pid));
}

function withDescendants(
  roots: readonly ProcessEntry[],
  children: ReadonlyMap<number, readonly ProcessEntry[]>,
  isLeftOut: (child: ProcessEntry) => boolean,
): ProcessEntry[] {
  const found = new Map<number, ProcessEntry>();
  const queue = [...roots];
  for (let entry = queue.pop(); entry !== undefined; entry = queue.pop()) {
    if (found.has(entry.pid)) continue;
    found.set(entry.pid, entry);
    for (const child of children.get(entry.pid) ?? []) if (!isLeftOut(child)) queue.push(child);
  }
  return [...found.values()];
}
