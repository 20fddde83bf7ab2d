import { AppError } from "../../core/errors.ts";
import { EXIT_CODES, type ExitCode } from "../../core/exit-code.ts";
import { isTerminalTaskStatus, type TaskId } from "../../core/task.ts";
import type { WorktreeWorld } from "../../engine/worktree/worktree.ts";
import { readWorktreeRecord, type WorktreeRecord } from "../../engine/worktree/worktree-record.ts";
import { isInside } from "../../lib/is-inside.ts";
import { wallClock } from "../../platform/wall-clock.ts";
import type { TaskStore } from "../../runtime/open-task-store.ts";
import type { CliIo } from "../command.ts";
import { withTasks } from "./with-tasks.ts";

/** What a command on a worktree works with. */
export interface NamedWorktree {
  readonly id: TaskId;
  readonly record: WorktreeRecord;
  readonly world: WorktreeWorld;
}

/**
 * Lends the worktree of a task that the user named to a command. Rejects with an `AppError`: `not_found` where there is no
 * such task or it had no worktree, `conflict` where somebody works in it and nobody may.
 */
export async function withWorktree(
  { io, reference, isInUse }: { readonly io: CliIo; readonly reference: string | undefined; readonly isInUse: "refused" | "fine" },
  use: (worktree: NamedWorktree) => Promise<void>,
): Promise<ExitCode> {
  return await withTasks(io, reference === undefined ? [] : [reference], async (store, [id]) => {
    const record = readWorktreeRecord(store.paths.state, id);
    if (record === undefined) throw new AppError("not_found", `Task "${id}" has no worktree: it did not run with --isolation worktree`, { code: "no_worktree" });
    if (isInUse === "refused") refuseInUse(record, store);
    await use({ id, record, world: { env: io.env, statePath: store.paths.state, now: wallClock } });
    return EXIT_CODES.ok;
  });
}

function refuseInUse({ worktree }: WorktreeRecord, { ledger }: TaskStore): void {
  const user = ledger.listTasks({ all: true }).find((task) => !isTerminalTaskStatus(task.status) && (task.id === worktree.id || isInside(task.cwd, worktree.path)));
  if (user !== undefined) throw new AppError("conflict", `The worktree of task "${worktree.id}" is in use: task "${user.id}" is ${user.status}; wait for it or stop it first`, { code: "worktree_in_use" });
}
