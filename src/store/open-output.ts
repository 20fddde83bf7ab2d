import { lstatSync, readlinkSync } from "node:fs";
import { basename, dirname, relative, sep } from "node:path";
import { AppError, systemErrorCode } from "../core/errors.ts";
import type { TaskOutputReader } from "../core/task-output.ts";
import type { TaskId } from "../core/task.ts";
import type { PinnedDirectory } from "../platform/pinned-directory.ts";
import { reopenFile } from "../platform/reopen-file.ts";
import type { StateDirectory } from "../platform/state-directory.ts";
import { markedHeadBytes } from "./output-mark.ts";
import { outputName, segmentName, segmentOffsets } from "./output-names.ts";
import { createOutputReader } from "./output-reader.ts";
import { storageFailure } from "./storage-failure.ts";

/**
 * Opens the output of a task for reading. The output of an agent is a link to its transcript: it is followed to a file of
 * ours inside the folder of sessions and nowhere else.
 *
 * Throws an `AppError`: `not_found` with code `no_output` when the task has no output, `storage` when what stands there is
 * none of ours.
 */
export function openOutput(directory: Pick<StateDirectory, "tasks" | "sessions">, id: TaskId): TaskOutputReader {
  try {
    const entry = directory.tasks.entry(outputName(id));
    if (lstatSync(entry).isSymbolicLink()) return wholeFile(openInside(directory.sessions, readlinkSync(entry), id));
    return headAndSegments(directory.tasks, id);
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") {
      throw new AppError("not_found", `Cannot read the output of task "${id}": there is none`, { code: "no_output", cause: error });
    }
    throw storageFailure(`Cannot read the output of task "${id}"`, error);
  }
}

function wholeFile(headFd: number): TaskOutputReader {
  return createOutputReader({ headFd, headBytes: () => undefined, segmentOffsets: () => [], openSegment: () => undefined });
}

function headAndSegments(tasks: PinnedDirectory, id: TaskId): TaskOutputReader {
  const headFd = reopenFile(tasks, outputName(id), "read");
  return createOutputReader({
    headFd,
    headBytes: (size) => markedHeadBytes(id, { fd: headFd, size }),
    segmentOffsets: () => segmentOffsets(tasks, id),
    openSegment: (offset) => openIfThere(tasks, segmentName(id, offset)),
  });
}

function openIfThere(tasks: PinnedDirectory, name: string): number | undefined {
  try {
    return reopenFile(tasks, name, "read");
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function openInside(sessions: PinnedDirectory, target: string, id: TaskId): number {
  const folders = relative(sessions.path, dirname(target)).split(sep);
  if (folders.length === 0 || folders.includes("..") || folders.includes("")) {
    throw new AppError("storage", `Cannot read the output of task "${id}": its link leads out of "${sessions.path}"`, { code: "foreign_link" });
  }
  return openBelow(sessions, folders, basename(target));
}

/** Folder by folder through pinned directories, so that no link in between is followed. */
function openBelow(directory: PinnedDirectory, folders: readonly string[], name: string): number {
  const [folder, ...deeper] = folders;
  if (folder === undefined) return reopenFile(directory, name, "read");
  const inner = directory.subdirectory(folder, { create: false });
  try {
    return openBelow(inner, deeper, name);
  } finally {
    inner.close();
  }
}
