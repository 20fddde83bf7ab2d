import { errorMessage } from "../../core/errors.ts";
import { exitFor } from "../../core/exit-code.ts";
import type { TaskHost } from "../../core/task-host.ts";
import type { TaskOutputWriter } from "../../core/task-output.ts";
import type { TaskState } from "../../core/task-state.ts";
import type { TaskId } from "../../core/task.ts";
import { endTask } from "../../engine/end-task.ts";
import { registerTask } from "../../engine/register-task.ts";
import { DEPTH_VARIABLE, depthIn, PARENT_TASK_ID_VARIABLE, TASK_ID_VARIABLE, taskMark } from "../../engine/task-mark.ts";
import { shellProgram } from "../../platform/shell-program.ts";
import { type SpawnedShell, spawnShell } from "../../platform/spawn-shell.ts";
import { crashPoint } from "../../platform/test-hooks/crash-point.ts";
import { generateTaskId } from "../../platform/task-id.ts";
import { createWithFreshId } from "../../store/create-with-fresh-id.ts";
import { createLostOutput } from "../../store/lost-output.ts";
import { storageFailure } from "../../store/storage-failure.ts";
import { isAwaitedByAgent } from "./is-awaited-by-agent.ts";
import type { ShellTask } from "./shell-task.ts";
import type { StartShellOptions } from "./start-options.ts";
import type { LocalBashDetail } from "./state.ts";
import { superviseShell } from "./supervise.ts";

/**
 * Starts a shell as a task that is on record. Its processes get the marks `AGENT_TASK_ID` and `AGENT_PARENT_TASK_ID`.
 *
 * Throws an `AppError` when the record or the output file cannot be made, or the program cannot be started; in the
 * latter case the task is on record as failed.
 */
export async function startShell(options: StartShellOptions): Promise<ShellTask> {
  const detail = newDetail(options);
  const { task, writer } = await recordShell(options, detail);
  const { supervision } = options.host;
  const trace = { variable: taskMark(task.id), mark: supervision.newMark() };
  let shell: SpawnedShell;
  try {
    shell = spawnShell({
      argv: options.argv ?? [shellProgram(), "-c", options.command],
      cwd: options.cwd,
      env: markedEnvironment(task, options.host, options.agentDepth),
      supervise: (start) => supervision.start(start, trace.mark),
    });
  } catch (error) {
    writer.close();
    await endTask(task.id, { status: "failed", exit: exitFor("failed"), error: errorMessage(error) }, options.host, { isSilent: true });
    throw error;
  }
  if (TEST_HOOKS) crashPoint("process-started");
  return superviseShell({ ...options, task, detail: { ...detail, pid: shell.identity.pid }, writer, shell, trace });
}

async function recordShell(
  options: StartShellOptions,
  detail: LocalBashDetail,
): Promise<{ task: TaskState; writer: TaskOutputWriter }> {
  const { host } = options;
  const { id, writer } = createOutput(options);
  try {
    const task = newTask(id, options, detail);
    await registerTask(task, host, { durable: options.isBackgrounded });
    return { task, writer };
  } catch (error) {
    writer.close();
    throw error;
  }
}

function createOutput(options: StartShellOptions): { id: TaskId; writer: TaskOutputWriter } {
  try {
    return createWithFreshId("local_bash", (id) => ({ id, writer: options.host.outputs.create(id) }));
  } catch (error) {
    const failure = storageFailure("Cannot create the output file of a command", error);
    if (!isAwaitedByAgent(options)) throw failure;
    return { id: generateTaskId("local_bash"), writer: createLostOutput(failure) };
  }
}

function newDetail(options: StartShellOptions): LocalBashDetail {
  return {
    command: options.command,
    ...(options.argv === undefined ? {} : { argv: [...options.argv] }),
    ...(options.kind === undefined ? {} : { kind: options.kind }),
    exitCode: null,
    signal: null,
    timedOut: false,
    interrupted: false,
    bytesWritten: 0,
    bytesDropped: 0,
  };
}

function newTask(id: TaskId, options: StartShellOptions, detail: LocalBashDetail): TaskState {
  const { host } = options;
  return {
    id,
    type: "local_bash",
    status: "running",
    description: options.description,
    toolUseId: options.toolUseId,
    startTime: host.now(),
    outputFile: host.outputs.path(id),
    outputOffset: 0,
    notified: false,
    attempt: 1,
    runId: host.runId,
    sessionId: host.sessionId,
    parentTaskId: options.parentTaskId,
    name: options.name,
    cwd: options.cwd,
    isBackgrounded: options.isBackgrounded,
    detail,
  };
}

function markedEnvironment(task: TaskState, host: TaskHost, agentDepth: number | undefined): Record<string, string> {
  return {
    ...host.childEnv,
    // Inherited, it would name the directory in which this process was started.
    PWD: task.cwd,
    [TASK_ID_VARIABLE]: task.id,
    ...(agentDepth === undefined ? {} : { [DEPTH_VARIABLE]: String(depthIn(host.childEnv) + agentDepth + 1) }),
    ...(task.parentTaskId === undefined ? {} : { [PARENT_TASK_ID_VARIABLE]: task.parentTaskId }),
  };
}
