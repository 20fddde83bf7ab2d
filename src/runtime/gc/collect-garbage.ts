import { rmSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../core/errors.ts";
import type { TaskId } from "../../core/task.ts";
import { WORKTREE_FOLDER } from "../../engine/worktree/worktree-folder.ts";
import { treeSize } from "../../platform/tree-size.ts";
import { ensureBallast } from "../../store/ballast.ts";
import type { TaskSummaryRow } from "../../store/ledger-rows.ts";
import { takeDeadOwnerLock } from "../../store/owner-lock.ts";
import { storageFailure } from "../../store/storage-failure.ts";
import type { TaskStore } from "../open-task-store.ts";
import { removeTask } from "../remove-task.ts";
import { clearWorktrees } from "./clear-worktrees.ts";
import { findLeftovers, type Leftover } from "./find-leftovers.ts";
import type { GcReport } from "./gc-report.ts";
import { planTasks } from "./plan-tasks.ts";
import { namesIn } from "./session-files.ts";

export interface GcOptions {
  /** How long ago a task must have ended, in milliseconds. */
  readonly olderMs: number;
  /** The most bytes that the state folder may have; the oldest ended tasks go until it has no more. No limit unless given. */
  readonly bytesMax: number | undefined;
  /** Whether nothing is removed, only reported. */
  readonly isDryRun: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Of this process: git is asked about worktrees. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Removes ended tasks with what belongs to them, and what no record needs. Never what runs, what somebody has still to
 * hear of, or what could not be looked at. Runs and other collections may go on meanwhile.
 *
 * Rejects with an `AppError` of reason `storage` when the state folder cannot be read.
 */
export async function collectGarbage(store: TaskStore, options: GcOptions): Promise<GcReport> {
  const problems: string[] = [];
  const onProblem = (text: string) => void problems.push(text);
  const tasks = store.ledger.listTasks({ all: true });
  const outputs = outputsById(store);
  const excessBytes = options.bytesMax === undefined ? 0 : stateSize(store) - options.bytesMax;
  const bytesOf = sizeWithTask(tasks, store, outputs);
  const planned = planTasks(tasks, store, { ...options, excessBytes, bytesOf: (task) => bytesOf(task).bytes, onProblem });
  const leftovers = findLeftovers(store, { ...options, recordedIds: new Set(tasks.map(({ id }) => id)), onProblem });

  const removedTasks: TaskId[] = [];
  const sessions: string[] = [];
  const files: string[] = [];
  let bytes = 0;
  const sizeWith = sizeWithTask(tasks, store, outputs);
  for (const task of planned) {
    const size = sizeWith(task);
    if (!options.isDryRun && !(await attempt(() => removeTask(task, store, outputs.get(task.id) ?? []), onProblem))) continue;
    removedTasks.push(task.id);
    if (size.isLastOfSession && (options.isDryRun || !store.ledger.hasSession(task.sessionId))) sessions.push(task.sessionId);
    bytes += size.bytes;
  }
  for (const leftover of leftovers.filter(({ name }) => !sessions.includes(name.split("/", 1)[0] ?? ""))) {
    const size = sizeOf(leftover, store);
    if (!options.isDryRun && !(await attempt(() => removeLeftover(leftover, store), onProblem))) continue;
    if (leftover.folder === "sessions" && !leftover.name.includes("/")) sessions.push(leftover.name);
    else files.push(`${leftover.folder}/${leftover.name}`);
    bytes += size;
  }
  files.push(...(await clearWorktrees(store, { ...options, recordedIds: new Set(tasks.map(({ id }) => id)), onProblem })));
  if (!options.isDryRun) ensureBallast(store.directory.root);
  return { tasks: removedTasks, sessions, files, bytes, problems };
}

/** Whether it is gone by what this call did. */
async function attempt(remove: () => boolean | Promise<boolean>, onProblem: (text: string) => void): Promise<boolean> {
  try {
    return await remove();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // A task that was woken in the meantime is none of ours.
    if (error.code !== "not_terminal") onProblem(error.message);
    return false;
  }
}

function outputsById({ directory }: TaskStore): ReadonlyMap<string, readonly string[]> {
  return Map.groupBy(namesIn(directory.tasks.entries), (name) => name.split(".", 1)[0] ?? "");
}

/** What goes with each task, for tasks that are taken in the order in which they shall go: a session goes with its last. */
function sizeWithTask(tasks: readonly TaskSummaryRow[], { directory }: TaskStore, outputs: ReadonlyMap<string, readonly string[]>) {
  const left = new Map([...Map.groupBy(tasks, (task) => task.sessionId)].map(([session, of]) => [session, of.length]));
  return ({ id, sessionId }: TaskSummaryRow): { readonly bytes: number; readonly isLastOfSession: boolean } => {
    const output = (outputs.get(id) ?? []).reduce((sum, name) => sum + treeSize(directory.tasks.entry(name)), 0);
    const others = (left.get(sessionId) ?? 1) - 1;
    left.set(sessionId, others);
    const isLastOfSession = others === 0;
    return { bytes: output + (isLastOfSession ? treeSize(directory.sessions.entry(sessionId)) : 0), isLastOfSession };
  };
}

function stateSize({ directory }: TaskStore): number {
  try {
    // Worktrees never go by themselves: others must not go in their place.
    const names = namesIn(directory.path).filter((name) => name !== WORKTREE_FOLDER);
    return names.reduce((sum, name) => sum + treeSize(join(directory.path, name)), 0);
  } catch (error) {
    throw storageFailure(`Cannot look through "${directory.path}"`, error);
  }
}

function sizeOf({ folder, name }: Leftover, { directory }: TaskStore): number {
  const [entry = "", ...deeper] = name.split("/");
  return treeSize([directory[folder].entry(entry), ...deeper].join("/"));
}

function removeLeftover({ folder, name }: Leftover, store: TaskStore): boolean {
  if (folder === "owners") return removeLock(name.slice(0, -".lock".length), store);
  const [entry = "", ...deeper] = name.split("/");
  try {
    rmSync([store.directory[folder].entry(entry), ...deeper].join("/"), { recursive: true, force: true });
    return true;
  } catch (error) {
    throw storageFailure(`Cannot remove "${folder}/${name}"`, error);
  }
}

/** Held while it goes: whoever waits for it then finds no run that it could belong to. */
function removeLock(runId: string, store: TaskStore): boolean {
  const lock = takeDeadOwnerLock(store.directory, runId);
  if (lock === undefined) return false;
  try {
    if (store.ledger.getRun(runId) !== undefined) return false;
    rmSync(store.directory.owners.entry(`${runId}.lock`), { force: true });
    return true;
  } finally {
    lock.release();
  }
}
