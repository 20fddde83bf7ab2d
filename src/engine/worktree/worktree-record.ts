import { randomUUID } from "node:crypto";
import { closeSync, lstatSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AppError, errorMessage, systemErrorCode } from "../../core/errors.ts";
import { isTaskId, type TaskId } from "../../core/task.ts";
import type { Worktree, WorktreeOutcome } from "../../core/worktree.ts";
import { openExclusiveFile } from "../../platform/exclusive-file.ts";
import type { PinnedDirectory } from "../../platform/pinned-directory.ts";
import { readTextFile } from "../../platform/read-text-file.ts";
import { writeFully } from "../../platform/write-fully.ts";
import { storageFailure } from "../../store/storage-failure.ts";
import { WORKTREE_FOLDER, withWorktreeFolder } from "./worktree-folder.ts";

/** What is kept on a worktree beside it, from before git makes it until its task is forgotten. */
export interface WorktreeRecord {
  readonly worktree: Worktree;
  /** Absent while its task works, and where the run died before it could look. */
  readonly outcome?: WorktreeOutcome | undefined;
}

const RECORD_BYTES_MAX = 262_144;

/** The record of the worktree that was made for a task; undefined where none was, or where it cannot be understood. */
export function readWorktreeRecord(statePath: string, id: TaskId): WorktreeRecord | undefined {
  try {
    const text = readTextFile(join(statePath, WORKTREE_FOLDER, recordName(id)), { bytesMax: RECORD_BYTES_MAX })?.text;
    return text === undefined ? undefined : parseRecord(text, id);
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw storageFailure(`Cannot read the record of the worktree of task "${id}"`, error);
  }
}

/** Replaces the record in one step. Throws an `AppError` of reason `storage`. */
export function writeWorktreeRecord(folder: PinnedDirectory, record: WorktreeRecord): void {
  const name = recordName(record.worktree.id);
  const temporary = `.${randomUUID()}.tmp`;
  try {
    const fd = openExclusiveFile(folder, temporary);
    try {
      writeFully(fd, Buffer.from(`${JSON.stringify({ v: 1, ...record })}\n`));
    } finally {
      closeSync(fd);
    }
    renameSync(folder.entry(temporary), folder.entry(name));
  } catch (error) {
    rmSync(folder.entry(temporary), { force: true });
    throw storageFailure(`Cannot write "${join(folder.path, name)}"`, error);
  }
}

/** As `writeWorktreeRecord`, for whoever does not hold the folder. */
export async function keepWorktreeRecord(statePath: string, record: WorktreeRecord): Promise<void> {
  await withWorktreeFolder(statePath, { create: true }, async (folder) => writeWorktreeRecord(folder, record));
}

/** Forgets a worktree that is not there any more. A worktree that is there keeps its record; then this returns false. */
export function forgetWorktree(statePath: string, id: TaskId): boolean {
  const record = readWorktreeRecord(statePath, id);
  if (record === undefined) return true;
  if (isWorktreeThere(record)) return false;
  rmSync(join(statePath, WORKTREE_FOLDER, recordName(id)), { force: true });
  return true;
}

/** Whether anything stands where the worktree was made, or git knows of it still: it may have been moved. */
export function isWorktreeThere({ worktree: { path, gitDirectory } }: WorktreeRecord): boolean {
  return [path, gitDirectory].some((each) => each !== "" && lstatSync(each, { throwIfNoEntry: false }) !== undefined);
}

function recordName(id: TaskId): string {
  if (!isTaskId(id)) throw new AppError("internal", `Cannot name a worktree ${JSON.stringify(id)}: it is no task id`);
  return `${id}.json`;
}

/** We wrote it ourselves, in one step. */
function parseRecord(text: string, id: TaskId): WorktreeRecord | undefined {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- looked at below as far as it matters
    const record = JSON.parse(text) as WorktreeRecord;
    return record.worktree.id === id && typeof record.worktree.path === "string" ? record : undefined;
  } catch (error) {
    throw new AppError("storage", `The record of the worktree of task "${id}" cannot be understood: ${errorMessage(error)}`, { cause: error });
  }
}
