import { join, relative } from "node:path";
import { AppError } from "../../core/errors.ts";
import type { TaskState } from "../../core/task-state.ts";
import { isTerminalTaskStatus } from "../../core/task.ts";
import type { Worktree } from "../../core/worktree.ts";
import { readWorktreeRecord } from "../../engine/worktree/worktree-record.ts";
import { isInside } from "../../lib/is-inside.ts";
import type { TaskStore } from "../../runtime/open-task-store.ts";
import type { ResumedTask } from "../../runtime/run-request.ts";
import { latestRunSettings, type SavedRunSettings } from "../../runtime/saved-run-settings.ts";
import { isNameInUse } from "../../runtime/subagents/name-in-use.ts";
import { resumedSubagent } from "../../runtime/subagents/resumed-subagent.ts";
import { readTranscript } from "../../store/read-transcript.ts";
import type { CliIo } from "../command.ts";
import { resolveTaskReference } from "../tasks/resolve-task-reference.ts";
import { withTaskStore } from "../tasks/with-task-store.ts";

/** The conversation that a run goes on with. */
export interface ResumeTarget {
  readonly task: ResumedTask;
  readonly name: string | undefined;
  /** How it was run before; undefined where its transcript does not say. */
  readonly saved: SavedRunSettings | undefined;
  /** Whether it goes on in a worktree of its own; the saved directories are those of the original checkout then. */
  readonly isIsolated: boolean;
}

/** What a user named: a task, or the latest conversation of a directory. */
export type ResumeChoice = { readonly reference: string } | { readonly latestIn: string };

/**
 * Finds the conversation to go on with. Throws an `AppError`: `not_found` where there is none, `conflict` while it is
 * going on, `usage` for a task that is no conversation.
 */
export async function resolveResume(choice: ResumeChoice, io: CliIo): Promise<ResumeTarget> {
  return await withTaskStore(io, async (store) => {
    const task = store === undefined ? undefined : findTask(choice, store);
    if (store === undefined || task === undefined) throw new AppError("not_found", notFound(choice), { code: "no_conversation" });
    const transcriptPath = task.detail["transcriptPath"];
    if (task.type !== "local_agent" || typeof transcriptPath !== "string") {
      throw new AppError("usage", `Cannot resume task "${task.id}": it is a ${task.type}, and only agents have a conversation`, { code: "not_an_agent" });
    }
    if (!isTerminalTaskStatus(task.status)) {
      throw new AppError("conflict", `Cannot resume task "${task.id}": it is ${task.status}; "agent send ${task.id}" gives it a message`, { code: "task_running" });
    }
    const entries = readTranscript(transcriptPath);
    const { parentTaskId } = task;
    const { saved, subagent } = parentTaskId === undefined ? { saved: latestRunSettings(entries), subagent: undefined } : resumedSubagent({ ...task, parentTaskId }, entries, store);
    const hasLeft = task.detail["hasLeftWorktree"] === true;
    const worktree = hasLeft ? undefined : readWorktreeRecord(store.paths.state, task.id)?.worktree;
    return {
      task: { taskId: task.id, attempt: task.attempt + 1, sessionId: task.sessionId, description: task.description, ...(hasLeft ? { leftWorktree: leftWorktree(task) } : {}), ...(subagent === undefined ? {} : { subagent }) },
      name: parentTaskId === undefined || task.name === undefined || !isNameInUse(task.name, task, store.ledger) ? task.name : undefined,
      saved: saved === undefined || worktree === undefined ? saved : outOfWorktree(saved, worktree),
      isIsolated: worktree !== undefined,
    };
  });
}

function leftWorktree({ detail: { worktreePath, worktreeBranch, worktree } }: TaskState): Readonly<Record<string, unknown>> {
  return { hasLeftWorktree: true, worktreePath, worktreeBranch, worktree };
}

/** The worktree may have been removed, because nothing was changed in it: the run makes it again. */
function outOfWorktree(saved: SavedRunSettings, { path, repositoryRoot, originalCwd }: Worktree): SavedRunSettings {
  const original = (directory: string) => (isInside(directory, path) ? join(repositoryRoot, relative(path, directory)) : directory);
  return { ...saved, cwd: originalCwd, directories: [originalCwd, ...saved.directories.slice(1).map(original)] };
}

function findTask(choice: ResumeChoice, { ledger }: TaskStore): TaskState | undefined {
  if ("reference" in choice) return ledger.getTask(resolveTaskReference(choice.reference, ledger));
  const latest = ledger.listTasks({ all: true }).find((task) => task.type === "local_agent" && task.parentTaskId === undefined && task.cwd === choice.latestIn);
  return latest === undefined ? undefined : ledger.getTask(latest.id);
}

function notFound(choice: ResumeChoice): string {
  return "reference" in choice ? `No task "${choice.reference}"; "agent ps -a" lists all` : `There is no earlier conversation in "${choice.latestIn}"`;
}
