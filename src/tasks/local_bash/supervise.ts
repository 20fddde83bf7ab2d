import type { TaskHost, TaskOutputWriter } from "../../core/task-host.ts";
import type { TaskState } from "../../core/task-state.ts";
import { isTerminalTaskStatus } from "../../core/task.ts";
import { endTask } from "../../engine/end-task.ts";
import { rememberEffect } from "../../engine/running-effect.ts";
import { outputTruncated } from "../../engine/task-events.ts";
import { taskMark } from "../../engine/task-mark.ts";
import { updateTaskState } from "../../engine/update-task-state.ts";
import { createHeadTail } from "../../lib/head-tail.ts";
import { isStillThere, type ProcessEntry, provenMembers } from "../../platform/process-session.ts";
import { type OutputPump, pumpOutput } from "../../platform/pump-output.ts";
import type { ProcessExit, SpawnedShell } from "../../platform/spawn-shell.ts";
import { endedDetail, shellEnding } from "./ending.ts";
import { createInterruptibleSession, type InterruptibleSession } from "./interruptible-session.ts";
import { processesLeftBy } from "./processes-left-by.ts";
import type { ForegroundOutcome, ShellTask } from "./shell-task.ts";
import type { StartShellOptions } from "./start-options.ts";
import type { LocalBashDetail } from "./state.ts";

export interface SuperviseShellOptions extends StartShellOptions {
  readonly task: TaskState;
  readonly detail: LocalBashDetail;
  readonly writer: TaskOutputWriter;
  readonly shell: SpawnedShell;
}

/** Kept in memory for a foreground call. Far more than is shown: redrawn lines shrink when they are rendered. */
const HEAD_BYTES_MAX = 64 * 1_024;
const TAIL_BYTES_MAX = 256 * 1_024;
/** After the last process of a shell has been ended, what it wrote is in the pipe already. */
const LAST_OUTPUT_MS = 100;
const LINGER_POLL_MS = 200;
/** The ledger gives up after 30 s. */
const RECORD_WAIT_MS = 35_000;
const RECORD_POLL_MS = 5;

/** Watches over a shell from its start to its terminal record. */
export function superviseShell(options: SuperviseShellOptions): ShellTask {
  const { task, writer, shell, host } = options;
  const mark = taskMark(task.id);
  const captured = createHeadTail({ headBytesMax: HEAD_BYTES_MAX, tailBytesMax: TAIL_BYTES_MAX });
  const foreground = Promise.withResolvers<ForegroundOutcome>();
  const effectOver = Promise.withResolvers<void>();
  let isBackgrounded = options.isBackgrounded;
  let members: readonly ProcessEntry[] = [];

  const session = createInterruptibleSession({ process: shell.identity, mark, graceMs: options.graceMs, knownMembers: () => members });
  const pump = pumpOutput([shell.stdout, shell.stderr], (bytes) => {
    writer.write(bytes);
    if (writer.failure !== undefined) session.interrupt({ type: "storage", error: writer.failure });
    if (!isBackgrounded) captured.append(bytes);
    return options.onChunk?.(bytes);
  });
  const recorded = host.ledger
    .addProcess(task.id, task.attempt, shell.identity)
    .catch((error: Error) => session.interrupt({ type: "storage", error }));
  const disarm = armTimeout(options.timeoutMs, session);
  rememberEffect(task.id, { stop }, host.setAppState);

  async function stop(): Promise<void> {
    session.interrupt({ type: "stop" });
    await effectOver.promise;
  }

  async function background(): Promise<void> {
    isBackgrounded = true;
    const patched = await host.ledger.patchTask(task.id, task.attempt, { isBackgrounded: true });
    if (patched !== undefined) updateTaskState(task.id, host.setAppState, (current) => ({ ...current, isBackgrounded: true }));
  }

  async function watch(): Promise<TaskState> {
    const exit = await exitOrGivenUp(shell, session);
    if (session.interruption() === undefined) {
      members = await processesLeftBy(shell.identity.pid, pump);
      if (members.length > 0) await linger(exit);
    }
    const survivors = session.interruption() === undefined ? [] : await session.ended;
    session.close();
    disarm();
    const isOutputHeld = !(await readToEnd(pump));
    writer.close();
    const ended = await record(exit, survivors);
    if (writer.bytesDropped > 0) host.emit(outputTruncated(task, writer));
    foreground.resolve({ type: "ended", task: ended, exit, isOutputHeld });
    return ended;
  }

  /** The agent that called does not wait for what the shell left behind; a shell that is a run of its own does. */
  async function linger(exit: ProcessExit): Promise<void> {
    if (!isBackgrounded && task.parentTaskId !== undefined) {
      disarm();
      await background();
      foreground.resolve({ type: "lingering", exit, pids: members.map((member) => member.pid) });
    }
    while (session.interruption() === undefined && members.length > 0) {
      await Promise.race([session.ended, Bun.sleep(LINGER_POLL_MS)]);
      if (!members.some(isStillThere)) members = provenMembers(shell.identity, { mark, knownMembers: [] });
    }
  }

  async function record(exit: ProcessExit, survivors: readonly number[]): Promise<TaskState> {
    await recorded;
    const interruption = session.interruption();
    const detail = endedDetail(options.detail, { exit, interruption, written: writer });
    if (interruption?.type !== "stop") {
      const ending = shellEnding({ exit, interruption, detail, survivors });
      const ended = await endTask(task.id, ending, host, { isSilent: !isBackgrounded });
      return ended ?? host.getAppState().tasks[task.id] ?? task;
    }
    await host.ledger.patchTask(task.id, task.attempt, { detail });
    updateTaskState(task.id, host.setAppState, (current) => ({ ...current, detail }));
    effectOver.resolve();
    return await terminalRecord(task, host);
  }

  const ended = watch().finally(effectOver.resolve);
  ended.catch(foreground.reject);
  foreground.promise.catch(() => undefined);
  return {
    id: task.id,
    outputFile: task.outputFile,
    foreground: foreground.promise,
    ended,
    shellExited: shell.exited,
    output: captured.snapshot,
    bytesWritten: () => writer.bytesWritten,
    bytesDropped: () => writer.bytesDropped,
    background,
  };
}

function armTimeout(timeoutMs: number | undefined, session: InterruptibleSession): () => void {
  if (timeoutMs === undefined) return () => undefined;
  const timer = setTimeout(() => session.interrupt({ type: "timeout", timeoutMs }), timeoutMs);
  return () => clearTimeout(timer);
}

/** A shell that even SIGKILL did not end must not keep the task from ending. */
async function exitOrGivenUp(shell: SpawnedShell, session: InterruptibleSession): Promise<ProcessExit> {
  const givenUp = session.ended.then((left) => (left.includes(shell.identity.pid) ? { exitCode: null, signal: null } : shell.exited));
  return await Promise.race([shell.exited, givenUp]);
}

/** False where somebody holds the output open whom the session does not know: then it is read no longer. */
async function readToEnd(pump: OutputPump): Promise<boolean> {
  const isAtEnd = await Promise.race([pump.ended.then(() => true), Bun.sleep(LAST_OUTPUT_MS).then(() => false)]);
  await pump.close();
  await pump.ended;
  return isAtEnd;
}

/** Whoever asked for a stop writes the status, right after the effect has ended. */
async function terminalRecord(task: TaskState, host: TaskHost): Promise<TaskState> {
  const deadline = performance.now() + RECORD_WAIT_MS;
  let latest = host.getAppState().tasks[task.id] ?? task;
  while (!isTerminalTaskStatus(latest.status) && performance.now() < deadline) {
    await Bun.sleep(RECORD_POLL_MS);
    latest = host.getAppState().tasks[task.id] ?? latest;
  }
  return latest;
}
