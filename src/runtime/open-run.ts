import { randomUUID } from "node:crypto";
import { errorMessage } from "../core/errors.ts";
import type { TaskHost } from "../core/task-host.ts";
import { reapDeadRuns } from "../engine/reap.ts";
import { RUN_ID_VARIABLE } from "../engine/task-mark.ts";
import { createWakeup, type Wakeup } from "../lib/wakeup.ts";
import { childEnvironment } from "../platform/child-env.ts";
import { openExclusiveFile } from "../platform/exclusive-file.ts";
import type { PinnedDirectory } from "../platform/pinned-directory.ts";
import type { Ledger } from "../store/ledger.ts";
import { runLogName, type SessionDirectory } from "../store/session-directory.ts";
import { storePayload } from "../store/store-payload.ts";
import { openTaskOutputs } from "../store/task-output.ts";
import { createAppStore } from "./app-store.ts";
import { openRunFiles, type RunFiles } from "./open-run-files.ts";
import { createRunEvents, type RunEvents } from "./run-events.ts";
import { ledgerOfRun } from "./run-ledger.ts";
import type { RunParams } from "./run-params.ts";
import type { RunRequest } from "./run-request.ts";
import { runStarted } from "./run-started.ts";

/** Everything that one run holds open while it lasts. */
export interface OpenRun {
  readonly runId: string;
  readonly sessionId: string;
  /** Whether the root task is an agent; otherwise it is a command. */
  readonly isAgent: boolean;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly host: TaskHost;
  readonly ledger: Ledger;
  readonly session: SessionDirectory;
  readonly runtimeDirectory: PinnedDirectory;
  readonly eventsFile: string;
  readonly openLog: () => number;
  readonly emitResult: RunEvents["emitResult"];
  /** Woken when a task has ended or a message has come. */
  readonly news: Wakeup;
  /** What went wrong without stopping anything. */
  readonly warnings: () => readonly string[];
  close(): void;
}

/**
 * Opens the state of a new run and takes its owner's lock, before anything of the run is on record.
 *
 * Rejects with an `AppError` of reason `storage` when the state folder cannot be used; then nothing stays open.
 */
export async function openRun({ request, env, observer }: RunParams): Promise<OpenRun> {
  const runId = randomUUID();
  const sessionId = sessionOf(request) ?? randomUUID();
  const startedAt = Date.now();
  const warnings: string[] = [];
  const files = openRunFiles({ env, runId, sessionId });
  if (request.name !== undefined) await freeName(files);
  const news = createWakeup();
  const events = createRunEvents({
    runId,
    now: Date.now,
    prologue: (taskId) => runStarted(taskId, sessionId, request),
    append: files.log.append,
    store: (seq, payload) => storePayload(files.session.results, `${runId}-${seq}.json`, payload),
    onEvent: observer.onEvent ?? (() => undefined),
    onFailure: (error) => warnings.push(`The event log could not be written: ${errorMessage(error)}`),
  });
  return {
    runId,
    sessionId,
    isAgent: request.work.type === "agent",
    startedAt,
    host: hostOf({ files, request, env, events, news, run: { runId, sessionId, startedAt } }),
    ledger: files.ledger,
    session: files.session,
    runtimeDirectory: files.runtimeDirectory,
    eventsFile: files.log.path,
    openLog: () => openExclusiveFile(files.session.root, runLogName(runId)),
    emitResult: events.emitResult,
    news,
    warnings: () => warnings,
    close: files.close,
  };
}

/** A conversation that is gone on with stays in its session. */
function sessionOf({ work }: RunRequest): string | undefined {
  return work.type === "agent" ? work.resume?.sessionId : undefined;
}

/** A task whose owner is gone does not hold its name. */
async function freeName(files: RunFiles): Promise<void> {
  try {
    await reapDeadRuns({ state: files.state, ledger: files.ledger, now: Date.now });
  } catch (error) {
    files.close();
    throw error;
  }
}

function hostOf(params: {
  readonly files: RunFiles;
  readonly request: RunRequest;
  readonly env: RunParams["env"];
  readonly events: RunEvents;
  readonly news: Wakeup;
  readonly run: { readonly runId: string; readonly sessionId: string; readonly startedAt: number };
}): TaskHost {
  const { files, request, events, news, run } = params;
  const store = createAppStore();
  return {
    runId: run.runId,
    sessionId: run.sessionId,
    ledger: ledgerOfRun(files.ledger, { ...run, controlDirectory: files.runtimeDirectory.path }),
    outputs: openTaskOutputs(files.state, { bytesMax: request.outputBytesMax }),
    getAppState: store.get,
    setAppState: store.set,
    now: Date.now,
    emit(event) {
      events.emit(event);
      if (event.type === "task.updated") news.wake();
    },
    childEnv: childEnvironment(params.env, { set: { [RUN_ID_VARIABLE]: run.runId } }),
  };
}
