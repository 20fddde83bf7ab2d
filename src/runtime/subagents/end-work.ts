import { errorMessage } from "../../core/errors.ts";
import type { Worktree, WorktreeOutcome } from "../../core/worktree.ts";
import { loadIsolation } from "../../engine/worktree/registry.ts";
import type { OpenRun } from "../open-run.ts";

/** Ends the work in a worktree. What there is to lose is kept, also where that cannot be found out. */
export async function endWork(worktree: Worktree, { host, warn }: Pick<OpenRun, "host" | "warn">): Promise<WorktreeOutcome> {
  try {
    return await (await loadIsolation()).endIsolation(worktree, host);
  } catch (error) {
    warn(`The worktree ${worktree.path} was kept: ${errorMessage(error)}`);
    const { path, branch, base } = worktree;
    return { path, branch, base, changed: true, kept: true, reason: errorMessage(error) };
  }
}
