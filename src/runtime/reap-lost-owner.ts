import { reapDeadRuns } from "../engine/reap.ts";
import { isSameProcess } from "../platform/process-identity.ts";
import { wallClock } from "../platform/wall-clock.ts";
import type { RunRow } from "../store/ledger-rows.ts";
import type { TaskStore } from "./open-task-store.ts";

/** A process that is just dying closes its connections before it is seen to be dead. */
const DYING_MS_MAX = 200;
const POLL_MS = 10;

/** Cleans up behind a run whose owner has not answered, where it is gone or just going. One that lives is left alone. */
export async function reapLostOwner(run: RunRow, { directory, ledger }: TaskStore): Promise<void> {
  const deadline = performance.now() + DYING_MS_MAX;
  while (isSameProcess(run.owner) && performance.now() < deadline) await Bun.sleep(POLL_MS);
  await reapDeadRuns({ state: directory, ledger, now: wallClock, only: [run.runId] });
}
