import { AppError } from "../../core/errors.ts";
import { isTerminalTaskStatus, type TaskId } from "../../core/task.ts";
import { isWorktreeThere, readWorktreeRecord, type WorktreeRecord } from "../../engine/worktree/worktree-record.ts";
import type { TaskStore } from "../../runtime/open-task-store.ts";
import { removeTask } from "../../runtime/remove-task.ts";
import { requestStop, STOP_TIMEOUT_MS } from "../../runtime/request-stop.ts";
import { defineCliCommand } from "../command.ts";
import { eachTask } from "../tasks/each-task.ts";
import { requireReferences, unknownTask } from "../tasks/resolve-task-reference.ts";

export default defineCliCommand({
  name: "rm",
  description: "Remove ended tasks and their output",
  examples: ["agent rm ID", "agent rm $(agent ps -q --filter terminal=true)", "agent rm --force ID"],
  args: {
    task: { type: "positional", isMultiple: true, description: "Id, beginning of an id, or name; several may be given" },
    force: { type: "boolean", description: "Stop the task first where it is running" },
  },
  async run({ values, io }) {
    return await eachTask({ io, references: requireReferences(values.task) }, (store) => {
      return async (id) => {
        const task = store.ledger.getTask(id);
        if (task === undefined) throw unknownTask(id);
        if (!isTerminalTaskStatus(task.status)) {
          if (values.force !== true) throw new AppError("conflict", `Cannot remove task "${id}": it is ${task.status}; --force stops it first`, { code: "not_terminal" });
          await stop(id, store);
        }
        const worktree = readWorktreeRecord(store.paths.state, id);
        if (values.force !== true && worktree !== undefined && isWorktreeThere(worktree)) throw hasWorktree(id, worktree);
        await removeTask(task, store);
      };
    });
  },
});

function hasWorktree(id: TaskId, { worktree }: WorktreeRecord): AppError {
  const how = `"agent apply ${id}" takes over what is in it, "agent discard ${id}" throws it away`;
  return new AppError("conflict", `Cannot remove task "${id}": its worktree "${worktree.path}" is still there; ${how}, and --force leaves it there`, { code: "has_worktree" });
}

async function stop(id: TaskId, store: TaskStore): Promise<void> {
  try {
    await requestStop({ id, store, timeoutMs: STOP_TIMEOUT_MS, isForced: true });
  } catch (error) {
    // It ended by itself in the meantime.
    if (!(error instanceof AppError) || error.code !== "not_running") throw error;
  }
}
