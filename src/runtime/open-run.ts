import { randomUUID } from "node:crypto";
import type { TaskHost } from "../core/task-host.ts";
import { errorMessage } from "../core/errors.ts";
import { BUILD_INFO } from "../core/build-info.ts";
import type { RunEventBody } from "../core/stream-event.ts";
import { reapDeadRuns } from "../engine/reap.ts";
import { RUN_ID_VARIABLE } from "../engine/task-mark.ts";
import { createWakeup, type Wakeup } from "../lib/wakeup.ts";
import { childEnvironment } from "../platform/child-env.ts";
import type { PinnedDirectory } from "../platform/pinned-directory.ts";
import { openExclusiveFile } from "../platform/exclusive-file.ts";
import { currentProcess } from "../platform/process-identity.ts";
import { openRuntimeDirectory, openStateDirectory } from "../platform/state-directory.ts";
import { resolveStatePaths } from "../platform/state-paths.ts";
import { openEventLog } from "../store/event-log.ts";
import { openLedger, type Ledger } from "../store/ledger.ts";
import { takeNewOwnerLock } from "../store/owner-lock.ts";
import { runLogName, openSessionDirectory, type SessionDirectory } from "../store/session-directory.ts";
import { storePayload } from "../store/store-payload.ts";
import { openTaskOutputs } from "../store/task-output.ts";
import { TOOL_NAMES } from "../tools/tool-names.ts";
import { createAppStore } from "./app-store.ts";
import { createRunEvents, type RunEvents } from "./run-events.ts";
import type { RunParams } from "./run-params.ts";
import type { RunRequest } from "./run-request.ts";

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
 * Throws an `AppError` of reason `storage` when the state folder cannot be used.
 */
export async function openRun({ request, env, observer }: RunParams): Promise<OpenRun> {
  const paths = resolveStatePaths(env);
  const state = openStateDirectory(paths);
  const runId = randomUUID();
  const sessionId = request.work.type === "agent" ? (request.work.resume?.sessionId ?? randomUUID()) : randomUUID();
  const startedAt = Date.now();
  const warnings: string[] = [];
  const lock = takeNewOwnerLock(state, runId);
  const runtimeDirectory = openRuntimeDirectory(paths, state);
  const ledger = openLedger(state);
  // A task whose owner is gone does not hold its name.
  if (request.name !== undefined) await reapDeadRuns({ state, ledger, now: Date.now });
  const session = openSessionDirectory(state, sessionId);
  const log = openEventLog({ directory: session.events, runId });
  const store = createAppStore();
  const news = createWakeup();
  const events = createRunEvents({
    runId,
    now: Date.now,
    prologue: (taskId) => runStarted(taskId, sessionId, request),
    append: log.append,
    store: (seq, payload) => storePayload(session.results, `${runId}-${seq}.json`, payload),
    onEvent: observer.onEvent ?? (() => undefined),
    onFailure: (error) => warnings.push(`The event log could not be written: ${errorMessage(error)}`),
  });
  return {
    runId,
    sessionId,
    isAgent: request.work.type === "agent",
    startedAt,
    ledger,
    session,
    runtimeDirectory,
    eventsFile: log.path,
    openLog: () => openExclusiveFile(session.root, runLogName(runId)),
    emitResult: events.emitResult,
    news,
    warnings: () => warnings,
    host: {
      runId,
      sessionId,
      ledger: recordRunWithFirstTask(ledger, { runId, sessionId, startedAt, controlDirectory: runtimeDirectory.path }),
      outputs: openTaskOutputs(state, { bytesMax: request.outputBytesMax }),
      getAppState: store.get,
      setAppState: store.set,
      now: Date.now,
      emit(event) {
        events.emit(event);
        if (event.type === "task.updated") news.wake();
      },
      childEnv: childEnvironment(env, { set: { [RUN_ID_VARIABLE]: runId } }),
    },
    close() {
      log.close();
      session.close();
      ledger.close();
      runtimeDirectory.close();
      lock.release();
      state.close();
    },
  };
}

/** The run's own row and the root task's are one transaction: neither is ever seen without the other. */
function recordRunWithFirstTask(
  ledger: Ledger,
  run: { readonly runId: string; readonly sessionId: string; readonly startedAt: number; readonly controlDirectory: string },
): Ledger {
  let isRecorded = false;
  return {
    ...ledger,
    async insertTask(task, options) {
      if (isRecorded) return await ledger.insertTask(task, options);
      await ledger.insertRun(
        { runId: run.runId, sessionId: run.sessionId, rootTaskId: task.id, owner: currentProcess(), version: BUILD_INFO.version, createdAt: run.startedAt, controlDirectory: run.controlDirectory },
        task,
        options,
      );
      isRecorded = true;
    },
  };
}

function runStarted(taskId: string, sessionId: string, request: RunRequest): RunEventBody {
  const { work } = request;
  return {
    type: "run.started",
    task_id: taskId,
    parent_task_id: null,
    version: BUILD_INFO.version,
    flags: { ...BUILD_INFO.flags },
    session_id: sessionId,
    cwd: request.cwd,
    model: work.type === "agent" ? work.model : null,
    tools: work.type === "agent" ? [...TOOL_NAMES] : [],
    permission_mode: work.type === "agent" ? work.permissionMode : "default",
    limits: {
      max_turns: work.type === "agent" ? work.turnsMax : null,
      timeout_ms: request.timeoutMs ?? null,
      output_quota_bytes: request.outputBytesMax,
    },
  };
}
