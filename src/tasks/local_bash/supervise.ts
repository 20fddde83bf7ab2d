import type { ProcessTrace } from "../../core/supervision.ts";
import type { TaskHost } from "../../core/task-host.ts";
import type { TaskOutputWriter } from "../../core/task-output.ts";
import type { TaskState } from "../../core/task-state.ts";
import { isTerminalTaskStatus } from "../../core/task.ts";
import { endTask } from "../../engine/end-task.ts";
import { findTask } from "../../engine/find-task.ts";
import { rememberEffect } from "../../engine/running-effect.ts";
import { outputTruncated } from "../../engine/task-events.ts";
import { updateTaskState } from "../../engine/update-task-state.ts";
import { startActiveTimer } from "../../lib/active-timer.ts";
import { createHeadTail } from "../../lib/head-tail.ts";
import { findProcesses, type ProcessSearch } from "../../platform/find-processes.ts";
import { isStillThere, type ProcessEntry } from "../../platform/process-table.ts";
import { type OutputPump, pumpOutput } from "../../platform/pump-output.ts";
import type { ProcessExit, SpawnedShell } from "../../platform/spawn-shell.ts";
import { endedDetail, shellEnding } from "./ending.ts";
import { createInterruptibleShell, type InterruptibleShell } from "./interruptible-shell.ts";
import { isAwaitedByAgent } from "./is-awaited-by-agent.ts";
import { processesLeftBy } from "./processes-left-by.ts";
import type { ForegroundOutcome, ShellTask } from "./shell-task.ts";
import type { StartShellOptions } from "./start-options.ts";
import type { LocalBashDetail } from "./state.ts";

export interface SuperviseShellOptions extends StartShellOptions {
  readonly task: TaskState;
  readonly detail: LocalBashDetail;
  readonly writer: TaskOutputWriter;
  readonly shell: SpawnedShell;
  /** By what the processes of the shell are known. */
  readonly trace: ProcessTrace;
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
  const captured = createHeadTail({ headBytesMax: HEAD_BYTES_MAX, tailBytesMax: TAIL_BYTES_MAX });
  const foreground = Promise.withResolvers<ForegroundOutcome>();
  const effectOver = Promise.withResolvers<void>();
  let isBackgrounded = options.isBackgrounded;
  let members: readonly ProcessEntry[] = [];

  const search = (): ProcessSearch => ({ trace: options.trace, leaders: [shell.identity], adopter: host.supervision.adopter() });
  const session = createInterruptibleShell({ search, graceMs: options.graceMs, known: () => members });
  const pump = pumpOutput([shell.stdout, shell.stderr], (bytes) => {
    writer.write(bytes);
    refuseLostOutput();
    if (!isBackgrounded) captured.append(bytes);
    return options.onChunk?.(bytes);
  });
  const recorded = host.ledger
    .addProcess(task.id, task.attempt, shell.identity)
    .catch((error: Error) => session.interrupt({ type: "storage", error }));
  const disarm = armTimeout(options, session);
  rememberEffect(task.id, { stop }, host.setAppState);

  /** Whoever waits for a command gets what it printed from memory; nobody else could learn what it did. */
  function refuseLostOutput(): void {
    if (writer.failure === undefined || isAwaitedByAgent({ ...task, isBackgrounded })) return;
    session.interrupt({ type: "storage", error: writer.failure });
  }

  async function stop(): Promise<void> {
    session.interrupt({ type: "stop" });
    await effectOver.promise;
  }

  async function background(): Promise<void> {
    isBackgrounded = true;
    refuseLostOutput();
    const patched = await host.ledger.patchTask(task.id, task.attempt, { isBackgrounded: true });
    if (patched !== undefined) updateTaskState(task.id, host.setAppState, (current) => ({ ...current, isBackgrounded: true }));
  }

  async function watch(): Promise<TaskState> {
    const exit = await exitOrGivenUp(shell, session);
    if (session.interruption() === undefined) {
      members = await processesLeftBy(search(), pump);
      if (awaited(members).length > 0) await linger(exit);
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

  /** What the task goes on for: all that is left. A shell that is a run of its own has daemons that nobody waits for. */
  function awaited(entries: readonly ProcessEntry[]): readonly ProcessEntry[] {
    return task.parentTaskId === undefined ? entries.filter((entry) => entry.session === shell.identity.pid) : entries;
  }

  /** The agent that called does not wait for what the shell left behind; a shell that is a run of its own does. */
  async function linger(exit: ProcessExit): Promise<void> {
    if (!isBackgrounded && task.parentTaskId !== undefined) {
      disarm();
      await background();
      foreground.resolve({ type: "lingering", exit, pids: members.map((member) => member.pid) });
    }
    for (let isOver = false; !isOver && session.interruption() === undefined; ) {
      await Promise.race([session.ended, Bun.sleep(LINGER_POLL_MS)]);
      if (awaited(members).some(isStillThere)) continue;
      const { entries, isSettled } = findProcesses(search());
      members = entries;
      isOver = awaited(entries).length === 0 && (isSettled || task.parentTaskId === undefined);
    }
  }

  async function record(exit: ProcessExit, survivors: readonly number[]): Promise<TaskState> {
    await recorded;
    const interruption = session.interruption();
    const detail = endedDetail(options.detail, { exit, interruption, written: writer });
    if (interruption?.type !== "stop") {
      const ending = shellEnding({ exit, interruption, detail, survivors });
      const ended = await endTask(task.id, ending, host, { isSilent: !isBackgrounded });
      return ended ?? findTask(task.id, host) ?? task;
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
    outputFailure: () => writer.failure,
    background,
  };
}

function armTimeout({ timeoutMs, host }: SuperviseShellOptions, session: InterruptibleShell): () => void {
  if (timeoutMs === undefined) return () => undefined;
  return startActiveTimer({ limitMs: timeoutMs, activeMs: host.activeMs, onDue: () => session.interrupt({ type: "timeout", timeoutMs }) });
}

/** A shell that even SIGKILL did not end must not keep the task from ending. */
async function exitOrGivenUp(shell: SpawnedShell, session: InterruptibleShell): Promise<ProcessExit> {
  const givenUp = session.ended.then((left) => (left.includes(shell.identity.pid) ? { exitCode: null, signal: null } : shell.exited));
  return await Promise.race([shell.exited, givenUp]);
}

/** False where somebody holds the output open who was not found: then it is read no longer. */
async function readToEnd(pump: OutputPump): Promise<boolean> {
  const isAtEnd = await Promise.race([pump.ended.then(() => true), Bun.sleep(LAST_OUTPUT_MS).then(() => false)]);
  await pump.close();
  await pump.ended;
  return isAtEnd;
}

/** Whoever asked for a stop writes the status, right after the effect has ended. */
async function terminalRecord(task: TaskState, host: TaskHost): Promise<TaskState> {
  const deadline = performance.now() + RECORD_WAIT_MS;
  for (;;) {
    const latest = findTask(task.id, host) ?? task;
    if (isTerminalTaskStatus(latest.status) || performance.now() >= deadline) return latest;
    await Bun.sleep(RECORD_POLL_MS);
  }
}
