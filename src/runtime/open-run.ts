import { randomUUID } from "node:crypto";
import { errorMessage } from "../core/errors.ts";
import type { RunEventBody } from "../core/stream-event.ts";
import type { TaskHost } from "../core/task-host.ts";
import { loadReaping } from "../engine/registry.ts";
import { RUN_ID_VARIABLE, runMark, withoutMarks } from "../engine/task-mark.ts";
import { createActiveClock, type ActiveClock } from "../lib/active-clock.ts";
import { createWakeup, type Wakeup } from "../lib/wakeup.ts";
import { childEnvironment } from "../platform/child-env.ts";
import { openExclusiveFile } from "../platform/exclusive-file.ts";
import type { PinnedDirectory } from "../platform/pinned-directory.ts";
import { newRunMark } from "../platform/process-mark.ts";
import { wallClock } from "../platform/wall-clock.ts";
import { superviseRun, type RunSupervision } from "../platform/supervision.ts";
import { ensureBallast } from "../store/ballast.ts";
import type { Ledger } from "../store/ledger.ts";
import { runLogName, type SessionDirectory } from "../store/session-directory.ts";
import type { StorageRetry } from "../store/storage-retry.ts";
import { storePayload } from "../store/store-payload.ts";
import { createAppStore, type AppStore } from "./app-store.ts";
import { openRunFiles, type RunFiles } from "./open-run-files.ts";
import { createRunEvents, type RunEvents } from "./run-events.ts";
import { ledgerOfRun } from "./run-ledger.ts";
import { openRunOutputs } from "./run-outputs.ts";
import type { RunParams } from "./run-params.ts";
import type { RunRequest, RunStop } from "./run-request.ts";
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
  /** Tells where the run works, before it is on record, where that is not what it was asked with. */
  moveTo(request: RunRequest): void;
  /** Calls a listener after each change of the state in memory. Returns how to stop that. */
  readonly onStateChange: AppStore["subscribe"];
  /** Woken when a task has ended or a message has come. */
  readonly news: Wakeup;
  readonly supervision: RunSupervision;
  /** Stands still while the run is halted. */
  readonly clock: ActiveClock;
  /** What went wrong without stopping anything. */
  readonly warnings: () => readonly string[];
  warn(text: string): void;
  /** Waits where the disk fails. */
  readonly storage: StorageRetry;
  /** Cleans up behind another run, if its process is gone. */
  reap(runId: string): Promise<void>;
  /** Sees to it that a full disk can be put on record the next time. Never throws. */
  keepBallast(): void;
  close(): void;
}

/**
 * Opens the state of a new run and takes its owner's lock, before anything of the run is on record.
 *
 * Rejects with an `AppError` of reason `storage` when the state folder cannot be used; then nothing stays open.
 */
export async function openRun({ request, env, controller, observer }: RunParams): Promise<OpenRun> {
  const runId = randomUUID();
  const sessionId = sessionOf(request) ?? randomUUID();
  const startedAt = wallClock();
  const warnings: string[] = [];
  const warn = (text: string) => {
    warnings.push(text);
    observer.onWarning?.(text);
  };
  const files = openRunFiles({
    env,
    runId,
    sessionId,
    onProblem: warn,
    onStorageLost: ({ message }) => controller.abort({ reason: "storage", message } satisfies RunStop),
  });
  if (request.name !== undefined) await freeName(files);
  const isDetached = request.isBackgrounded;
  const processMark = newRunMark(isDetached ? "detached" : "attached");
  const supervision = superviseRun({ runMark: processMark, variable: runMark(runId), isDetached, onProblem: (text) => warnings.push(text) });
  const clock = createActiveClock();
  const store = createAppStore();
  const news = createWakeup();
  let current = request;
  const events = createRunEvents({
    runId,
    now: wallClock,
    prologue: (taskId) => runStarted(taskId, sessionId, current),
    append: files.log?.append ?? (() => undefined),
    store: (seq, payload) => storePayload(files.session.results, `${runId}-${seq}.json`, payload),
    onEvent: observer.onEvent ?? (() => undefined),
    onFailure: (error) => warnings.push(`The event log could not be written: ${errorMessage(error)}`),
  });
  return {
    runId,
    sessionId,
    isAgent: request.work.type === "agent",
    startedAt,
    host: hostOf({ files, request, env, events, store, news, supervision, clock, warn, run: { runId, sessionId, startedAt, processMark } }),
    ledger: files.ledger,
    session: files.session,
    runtimeDirectory: files.runtimeDirectory,
    eventsFile: files.session.eventsPath(runId),
    openLog: () => openExclusiveFile(files.session.root, runLogName(runId)),
    emitResult: events.emitResult,
    moveTo(moved) {
      current = moved;
    },
    onStateChange: store.subscribe,
    news,
    supervision,
    clock,
    warnings: () => warnings,
    warn,
    storage: files.storage,
    async reap(otherRunId) {
      const { reapDeadRuns } = await loadReaping();
      await reapDeadRuns({ state: files.state, ledger: files.ledger, now: wallClock, only: [otherRunId] });
    },
    keepBallast: () => ensureBallast(files.state.root),
    close() {
      supervision.close();
      files.close();
    },
  };
}

/** A conversation that is gone on with stays in its session. */
function sessionOf({ work }: RunRequest): string | undefined {
  return work.type === "agent" ? work.resume?.sessionId : undefined;
}

/** A task whose owner is gone does not hold its name. */
async function freeName(files: RunFiles): Promise<void> {
  try {
    const { reapDeadRuns } = await loadReaping();
    await reapDeadRuns({ state: files.state, ledger: files.ledger, now: wallClock });
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
  readonly store: AppStore;
  readonly news: Wakeup;
  readonly supervision: RunSupervision;
  readonly clock: ActiveClock;
  readonly warn: (text: string) => void;
  readonly run: { readonly runId: string; readonly sessionId: string; readonly startedAt: number; readonly processMark: string };
}): TaskHost {
  const { files, request, events, store, news, run } = params;
  const emit = (event: RunEventBody) => {
    events.emit(event);
    if (event.type === "task.updated") news.wake();
  };
  return {
    runId: run.runId,
    sessionId: run.sessionId,
    ledger: ledgerOfRun(files.ledger, { ...run, controlDirectory: files.runtimeDirectory.path }),
    outputs: openRunOutputs({ files, request, emit, parentOf: (id) => store.get().tasks[id]?.parentTaskId, warn: params.warn }),
    getAppState: store.get,
    setAppState: store.set,
    onStateChange: store.subscribe,
    now: wallClock,
    activeMs: params.clock.activeMs,
    emit,
    childEnv: childEnvironment(withoutMarks(params.env), { set: { [RUN_ID_VARIABLE]: run.runId } }),
    supervision: params.supervision,
    statePath: files.state.path,
    worktrees: new Map(),
  };
}
