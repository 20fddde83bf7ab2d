import { stopTask } from "../engine/stop-task.ts";
import { AppError } from "../core/errors.ts";
import { isTaskId, type TaskId } from "../core/task.ts";
import { serveControl, type ControlServer } from "../platform/control-socket.ts";
import { loadTaskKind } from "../tasks/registry.ts";
import { controlSocketName } from "../store/control-name.ts";
import type { OpenRun } from "./open-run.ts";
import type { RunStop } from "./run-request.ts";

/** Lets other commands reach this run through its control socket. */
export function serveRunControl(params: RunControlParams): ControlServer {
  const { run } = params;
  return serveControl({
    directory: run.runtimeDirectory,
    name: controlSocketName(run.runId),
    now: run.host.now,
    replaceStale: true,
    async handle(request) {
      if (request.op === "stop") return await stop(request, params);
      throw new AppError("usage", `Cannot do "${request.op}": this run knows no such request`, { code: "unknown_op" });
    },
  });
}

interface RunControlParams {
  readonly run: OpenRun;
  readonly rootTaskId: TaskId;
  /** Ends the whole run; resolves when its ending is on record. */
  readonly stopRoot: (stop: RunStop) => Promise<void>;
}

async function stop(request: Readonly<Record<string, unknown>>, { run, rootTaskId, stopRoot }: RunControlParams): Promise<Record<string, unknown>> {
  const id = request["task_id"];
  if (typeof id !== "string" || !isTaskId(id)) throw new AppError("usage", `Cannot stop "${String(id)}": not a task id`);
  if (id === rootTaskId) await stopRoot({ reason: "killed", message: "Stopped on request" });
  else await stopTask(id, run.host, { findKind: loadTaskKind, isSilent: false });
  return { task_id: id, status: run.host.getAppState().tasks[id]?.status ?? "killed" };
}
