import { randomUUID } from "node:crypto";
import { AppError } from "../core/errors.ts";
import { isTaskId, isTerminalTaskStatus, type TaskId } from "../core/task.ts";
import { findTask } from "../engine/find-task.ts";
import { stopTask } from "../engine/stop-task.ts";
import type { ControlRequest } from "../platform/control-protocol.ts";
import { serveControl, type ControlServer } from "../platform/control-socket.ts";
import { controlSocketName } from "../store/control-name.ts";
import { loadTaskKind } from "../tasks/registry.ts";
import { deliverMessage } from "./deliver-message.ts";
import type { OpenRun } from "./open-run.ts";
import type { RootInput } from "./root-input.ts";
import type { RootWork } from "./root-work.ts";
import type { OutgoingMessage } from "./send-message.ts";
import { STOPPED_ON_REQUEST, type RunStop } from "./run-request.ts";

interface RunControlParams {
  readonly run: OpenRun;
  readonly root: RootWork;
  /** Ends the whole run; resolves when its ending is on record. */
  readonly stopRoot: (stop: RunStop) => Promise<void>;
}

/** Lets other commands reach this run through its control socket: stop, send, wake, look, interrupt, wait. */
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
        case "wake":
          return await wake(id, request, params);
        case "look":
          return look(id, params);
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
  return { task_id: id, status: findTask(id, run.host)?.status ?? "killed" };
}

/** The answer says that the message is on disk: from then on it comes into the conversation, in this run or the next. */
async function send(id: TaskId, request: ControlRequest, params: RunControlParams): Promise<Record<string, unknown>> {
  const { messageId, text, sender } = messageIn(request, id);
  const input = runningInput(id, "send to", params);
  const isDelivered = await deliverMessage({ messageId, taskId: id, text, ...(sender === undefined ? {} : { sender }) }, input, params.run);
  if (!isDelivered) throw ending(id, "send to");
  return { task_id: id, message_id: messageId };
}

/** An agent that has ended goes on with a message while an agent above it, of which the request is made, still works. */
async function wake(above: TaskId, request: ControlRequest, { root, run }: RunControlParams): Promise<Record<string, unknown>> {
  const { to } = request;
  if (typeof to !== "string" || !isTaskId(to)) throw new AppError("usage", `Cannot send to "${String(to)}": not a task id`);
  if (root.wake === undefined || findTask(above, run.host) === undefined) throw new AppError("not_found", `Cannot send to task "${to}": this run has no such agent`);
  const message = messageIn(request, to);
  await root.wake(to, message);
  return { task_id: to, message_id: message.messageId };
}

function messageIn({ text, sender, message_id: chosenId }: ControlRequest, id: TaskId): OutgoingMessage {
  if (typeof text !== "string" || text.trim() === "") throw new AppError("usage", `Cannot send to task "${id}": the message is empty`);
  return { messageId: typeof chosenId === "string" ? chosenId : randomUUID(), text, sender: typeof sender === "string" ? sender : undefined };
}

/** Somebody has put a message on record: the answer says that it will be seen. */
function look(id: TaskId, params: RunControlParams): Record<string, unknown> {
  runningInput(id, "send to", params);
  params.run.news.wake();
  return { task_id: id };
}

function interrupt(id: TaskId, params: RunControlParams): Record<string, unknown> {
  if (runningInput(id, "interrupt", params).interrupt()) return { task_id: id };
  throw new AppError("conflict", `Cannot interrupt task "${id}": no turn is under way`, { code: "no_turn" });
}

/** The client's own limit aborts the signal. */
async function waitForEnd(id: TaskId, { host, onStateChange }: OpenRun, signal: AbortSignal): Promise<Record<string, unknown>> {
  const status = () => findTask(id, host)?.status;
  if (status() === undefined) throw new AppError("not_found", `Cannot wait for task "${id}": this run has no such task`);
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const check = () => {
    const now = status();
    if (now === undefined || isTerminalTaskStatus(now) || signal.aborted) resolve();
  };
  const unsubscribe = onStateChange(check);
  signal.addEventListener("abort", check, { once: true });
  check();
  await ended;
  unsubscribe();
  return { task_id: id, status: status() };
}

function runningInput(id: TaskId, action: string, { run, root }: RunControlParams): RootInput {
  const task = findTask(id, run.host);
  if (task === undefined) throw new AppError("not_found", `Cannot ${action} task "${id}": this run has no such task`);
  if (isTerminalTaskStatus(task.status)) throw new AppError("conflict", `Cannot ${action} task "${id}": it is ${task.status}`, { code: "task_terminal" });
  const input = root.inputs.get(id);
  if (input?.isClosed() === true || (input === undefined && task.type === "local_agent")) throw ending(id, action);
  if (input !== undefined) return input;
  throw new AppError("conflict", `Cannot ${action} task "${id}": it is a ${task.type}, and only agents have a conversation`, { code: "not_an_agent" });
}

/** Its end is not on record yet, and its conversation is over. */
function ending(id: TaskId, action: string): AppError {
  return new AppError("conflict", `Cannot ${action} task "${id}": it is just ending`, { code: "task_ending" });
}
