import { randomUUID } from "node:crypto";
import { AppError } from "../core/errors.ts";
import { isTaskId, isTerminalTaskStatus, type TaskId } from "../core/task.ts";
import { stopTask } from "../engine/stop-task.ts";
import { abortableSleep } from "../lib/abortable-sleep.ts";
import type { ControlRequest } from "../platform/control-protocol.ts";
import { serveControl, type ControlServer } from "../platform/control-socket.ts";
import { controlSocketName } from "../store/control-name.ts";
import { loadTaskKind } from "../tasks/registry.ts";
import type { OpenRun } from "./open-run.ts";
import type { RootInput } from "./root-input.ts";
import type { RootWork } from "./root-work.ts";
import { STOPPED_ON_REQUEST, type RunStop } from "./run-request.ts";

interface RunControlParams {
  readonly run: OpenRun;
  readonly root: RootWork;
  /** Ends the whole run; resolves when its ending is on record. */
  readonly stopRoot: (stop: RunStop) => Promise<void>;
}

/** Lets other commands reach this run through its control socket: stop, send, interrupt, wait. */
export function serveRunControl(params: RunControlParams): ControlServer {
  return serveControl({
    directory: params.run.runtimeDirectory,
    name: controlSocketName(params.run.runId),
    now: params.run.host.now,
    replaceStale: true,
    async handle(request, signal) {
      const id = taskIdOf(request);
      switch (request.op) {
        case "stop":
          return await stop(id, params);
        case "send":
          return await send(id, request, params);
        case "interrupt":
          return interrupt(id, params);
        case "wait":
          return await waitForEnd(id, params.run, signal);
        default:
          throw new AppError("usage", `Cannot do "${request.op}": this run knows no such request`, { code: "unknown_op" });
      }
    },
  });
}

function taskIdOf(request: ControlRequest): TaskId {
  const id = request["task_id"];
  if (typeof id === "string" && isTaskId(id)) return id;
  throw new AppError("usage", `Cannot do "${request.op}" for "${String(id)}": not a task id`);
}

async function stop(id: TaskId, { run, root, stopRoot }: RunControlParams): Promise<Record<string, unknown>> {
  if (id === root.taskId) await stopRoot(STOPPED_ON_REQUEST);
  else await stopTask(id, run.host, { findKind: loadTaskKind, isSilent: false });
  return { task_id: id, status: run.host.getAppState().tasks[id]?.status ?? "killed" };
}

/** The answer says that the message is on disk: from then on it comes into the conversation, in this run or the next. */
async function send(id: TaskId, request: ControlRequest, params: RunControlParams): Promise<Record<string, unknown>> {
  const { text, sender } = request;
  if (typeof text !== "string" || text.trim() === "") throw new AppError("usage", `Cannot send to task "${id}": the message is empty`);
  const { run } = params;
  runningInput(id, "send to", params);
  const messageId = randomUUID();
  await run.ledger.insertMessage({ messageId, taskId: id, text, sentAt: run.host.now(), ...(typeof sender === "string" ? { sender } : {}) });
  run.news.wake();
  return { task_id: id, message_id: messageId };
}

function interrupt(id: TaskId, params: RunControlParams): Record<string, unknown> {
  if (runningInput(id, "interrupt", params).interrupt()) return { task_id: id };
  throw new AppError("conflict", `Cannot interrupt task "${id}": no turn is under way`, { code: "no_turn" });
}

/** The client's own limit aborts the signal. */
async function waitForEnd(id: TaskId, run: OpenRun, signal: AbortSignal): Promise<Record<string, unknown>> {
  for (;;) {
    const task = run.host.getAppState().tasks[id];
    if (task === undefined) throw new AppError("not_found", `Cannot wait for task "${id}": this run has no such task`);
    if (isTerminalTaskStatus(task.status) || signal.aborted) return { task_id: id, status: task.status };
    await abortableSleep(WAIT_LOOK_MS, signal);
  }
}

const WAIT_LOOK_MS = 20;

function runningInput(id: TaskId, action: string, { run, root }: RunControlParams): RootInput {
  const task = run.host.getAppState().tasks[id];
  if (task === undefined) throw new AppError("not_found", `Cannot ${action} task "${id}": this run has no such task`);
  if (isTerminalTaskStatus(task.status)) throw new AppError("conflict", `Cannot ${action} task "${id}": it is ${task.status}`, { code: "task_terminal" });
  if (id === root.taskId && root.input !== undefined) return root.input;
  throw new AppError("conflict", `Cannot ${action} task "${id}": only agents take messages, and it is a ${task.type}`, { code: "not_an_agent" });
}
