import { readdirSync } from "node:fs";
import { systemErrorCode } from "../../core/errors.ts";
import type { PinnedDirectory } from "../../platform/pinned-directory.ts";
import type { TaskStore } from "../open-task-store.ts";
import { mayBeLive } from "./run-liveness.ts";

/** Whether a run of a session may be at work. Throws as `mayBeLive`. */
export function isSessionLive(sessionId: string, store: TaskStore, now: number): boolean {
  return runsIn(sessionId, store.directory.sessions).some((runId) => mayBeLive(runId, store, now));
}

/** The runs whose event logs stand in the folder of a session. */
export function runsIn(sessionId: string, sessions: PinnedDirectory): string[] {
  return namesIn(`${sessions.entry(sessionId)}/events`).flatMap((name) => (name.endsWith(".ndjson") ? [name.slice(0, -".ndjson".length)] : []));
}

/** The names in a directory; none where it is missing, or is no directory. Throws the system's error. */
export function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
}
