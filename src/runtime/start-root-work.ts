import { loadShellWork } from "./registry.ts";
import type { RootWork, RootWorkParams } from "./root-work.ts";
import { startAgentRoot } from "./start-agent-root.ts";

/** Puts the root task of a run on record. Rejects with an `AppError` when it cannot be; then there is no task. */
export async function startRootWork(params: RootWorkParams): Promise<RootWork> {
  const { work } = params.request;
  if (work.type === "agent") return await startAgentRoot({ ...params, work });
  const { startShellRoot } = await loadShellWork();
  return await startShellRoot({ ...params, work });
}
