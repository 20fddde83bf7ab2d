import type { TaskId } from "../core/task.ts";
import type { Worktree, WorktreeOutcome } from "../core/worktree.ts";
import { isolatedDirectories } from "../engine/worktree/isolated-directories.ts";
import { loadIsolation } from "../engine/worktree/registry.ts";
import type { OpenRun } from "./open-run.ts";
import type { RootWorkParams } from "./root-work.ts";
import { stopError, type AgentWork, type RunRequest } from "./run-request.ts";

/**
 * Where isolation was asked for, makes the worktree of the root agent, or takes up the one that it had, and moves the
 * request there: the original checkout is no working directory any more.
 *
 * Rejects with an `AppError` where that cannot be; then the run must not begin.
 */
export async function isolateRoot<Params extends RootWorkParams & { readonly work: AgentWork }>(taskId: TaskId, params: Params): Promise<Params> {
  const { run, work } = params;
  const { isolation, cwd } = params.request;
  if (isolation === undefined) return params;
  const { isolateTask, resumeIsolation } = await loadIsolation();
  if (work.resume !== undefined) return moved(params, await resumeIsolation(taskId, run.host));
  const { signal } = params.controller;
  const { worktree, warnings } = await isolateTask({ id: taskId, cwd, baseRef: isolation.baseRef, carriesChanges: isolation.carriesChanges }, run.host, signal).catch((error: unknown) => {
    if (signal.aborted) throw stopError(signal);
    throw error;
  });
  for (const warning of warnings) run.warn(warning);
  return moved(params, worktree);
}

/**
 * Looks at all worktrees of a run in which nobody works any more. Resolves to what has become of the root's, if it has one.
 */
export async function endIsolations({ host }: Pick<OpenRun, "host">, rootTaskId?: TaskId): Promise<WorktreeOutcome | undefined> {
  if (host.worktrees.size === 0) return undefined;
  const { endIsolation } = await loadIsolation();
  let ofRoot: WorktreeOutcome | undefined;
  for (const worktree of host.worktrees.values()) {
    const outcome = await endIsolation(worktree, host);
    if (worktree.id === rootTaskId) ofRoot = outcome;
  }
  return ofRoot;
}

function moved<Params extends RootWorkParams>(params: Params, worktree: Worktree): Params {
  const request: RunRequest = { ...params.request, cwd: worktree.cwdInside, directories: isolatedDirectories(params.request.directories, worktree) };
  params.run.moveTo(request);
  return { ...params, request, worktree };
}
