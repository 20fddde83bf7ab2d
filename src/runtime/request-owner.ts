import type { ControlRequest } from "../platform/control-protocol.ts";
import { requestControl } from "../platform/control-socket.ts";
import { openPinnedDirectory, type PinnedDirectory } from "../platform/pinned-directory.ts";
import { openRuntimeDirectory } from "../platform/state-directory.ts";
import { controlSocketName } from "../store/control-name.ts";
import type { RunRow } from "../store/ledger-rows.ts";
import type { TaskStore } from "./open-task-store.ts";

export interface OwnerRequest {
  readonly run: RunRow;
  readonly store: TaskStore;
  readonly request: ControlRequest;
  readonly timeoutMs: number;
  /** Gives up when it is aborted. */
  readonly signal?: AbortSignal;
}

/** Asks the process that owns a run for something, once. Rejects as `requestControl`. */
export async function requestOwner({ run, store, ...request }: OwnerRequest): Promise<unknown> {
  const directory = openControlDirectory(run, store);
  try {
    return await requestControl({ directory, name: controlSocketName(run.runId), ...request });
  } finally {
    directory.close();
  }
}

function openControlDirectory(run: RunRow, { paths, directory }: TaskStore): PinnedDirectory {
  if (run.controlDirectory === undefined) return openRuntimeDirectory(paths, directory);
  return openPinnedDirectory(run.controlDirectory, { create: false });
}
