import { lstatSync } from "node:fs";
import { errorMessage } from "../../core/errors.ts";
import { isTaskId } from "../../core/task.ts";
import { isOwnerAlive } from "../../store/is-owner-alive.ts";
import type { TaskStore } from "../open-task-store.ts";
import { mayBeLive, UNRECORDED_AGE_MS_MIN } from "./run-liveness.ts";
import { isSessionLive, namesIn, runsIn } from "./session-files.ts";

/** Something in the state folder that no record needs. */
export interface Leftover {
  readonly folder: "tasks" | "owners" | "sessions";
  /** The entry of the folder, or a path below it. */
  readonly name: string;
}

export interface LeftoverOptions {
  /** The ids that have a record. */
  readonly recordedIds: ReadonlySet<string>;
  /** How old the log of a run is when it goes although its session stays, in milliseconds. */
  readonly olderMs: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Calls back with what kept something from being looked at. */
  readonly onProblem: (text: string) => void;
}

/** What crashes left behind, and logs of runs that are over for long. Nothing is touched. */
export function findLeftovers(store: TaskStore, options: LeftoverOptions): Leftover[] {
  const { directory } = store;
  const entries = (folder: Leftover["folder"]) => namesIn(directory[folder].entries).map((name): Leftover => ({ folder, name }));
  const safely = safeCheck(store, options);
  return [
    ...entries("tasks").filter(safely((name) => isOrphanedOutput(name, options))),
    ...entries("owners").filter(safely((name) => isStaleLock(name, store))),
    ...entries("sessions").flatMap((session) => (safely((name) => isOrphanedSession(name, store, options.now))(session) ? [session] : oldFilesIn(session.name, store, options))),
  ];
}

/** A check that fails keeps what it is about; so does youth, where no record names it. */
function safeCheck(store: TaskStore, { now, onProblem }: LeftoverOptions) {
  return (check: (name: string) => boolean) =>
    ({ folder, name }: Leftover): boolean => {
      try {
        const { mtimeMs } = lstatSync(store.directory[folder].entry(name));
        return now - mtimeMs >= UNRECORDED_AGE_MS_MIN && check(name);
      } catch (error) {
        onProblem(`"${folder}/${name}" stays: it cannot be looked at (${errorMessage(error)})`);
        return false;
      }
    };
}

function isOrphanedOutput(name: string, { recordedIds }: LeftoverOptions): boolean {
  const [, id = ""] = /^(.{9})\.output(\.\d{1,15})?$/.exec(name) ?? [];
  return isTaskId(id) && !recordedIds.has(id);
}

function isStaleLock(name: string, { directory, ledger }: TaskStore): boolean {
  const runId = name.endsWith(".lock") ? name.slice(0, -".lock".length) : undefined;
  return runId !== undefined && ledger.getRun(runId) === undefined && !isOwnerAlive(directory.owners, runId);
}

function isOrphanedSession(name: string, store: TaskStore, now: number): boolean {
  return !store.ledger.hasSession(name) && !isSessionLive(name, store, now);
}

/** In a session that stays: logs of runs that are over, and events of runs that are not on record any more. */
function oldFilesIn(sessionId: string, store: TaskStore, { olderMs, now, onProblem }: LeftoverOptions): Leftover[] {
  const { directory, ledger } = store;
  const isOld = (path: string, ageMs: number) => now - lstatSync(`${directory.sessions.entry(sessionId)}/${path}`).mtimeMs >= ageMs;
  try {
    const names = namesIn(directory.sessions.entry(sessionId));
    return runsIn(sessionId, directory.sessions).flatMap((runId) => {
      if (mayBeLive(runId, store, now)) return [];
      const [log, events] = [`${runId}.log`, `events/${runId}.ndjson`];
      const isUnrecorded = ledger.getRun(runId) === undefined;
      return [
        ...(names.includes(log) && isOld(log, olderMs) ? [log] : []),
        ...(isUnrecorded && isOld(events, Math.max(olderMs, UNRECORDED_AGE_MS_MIN)) ? [events] : []),
      ].map((path): Leftover => ({ folder: "sessions", name: `${sessionId}/${path}` }));
    });
  } catch (error) {
    onProblem(`What is in "sessions/${sessionId}" stays: it cannot be looked at (${errorMessage(error)})`);
    return [];
  }
}
