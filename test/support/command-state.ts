import { runCli } from "../../src/cli/main.ts";
import type { CliIo } from "../../src/cli/command.ts";
import type { TaskEnding, TaskState } from "../../src/core/task-state.ts";
import { exitFor, statusFor, type ExitReason } from "../../src/core/exit-code.ts";
import { currentProcess } from "../../src/platform/process-identity.ts";
import type { StateDirectory } from "../../src/platform/state-directory.ts";
import { openLedger, type Ledger } from "../../src/store/ledger.ts";
import { takeNewOwnerLock } from "../../src/store/owner-lock.ts";
import { openSessionDirectory } from "../../src/store/session-directory.ts";
import { openTaskOutputs } from "../../src/store/task-output.ts";
import { openTranscript, type Transcript } from "../../src/store/transcript.ts";
import { memoryIo, type MemoryIo } from "./memory-io.ts";
import { sampleRun, sampleTask, taskId } from "./sample-task.ts";
import { testState } from "./test-state.ts";

export interface CommandOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A state folder with tasks in it, and the commands that look at it, run in this process. */
export interface CommandState extends Disposable {
  readonly directory: StateDirectory;
  readonly path: string;
  readonly ledger: Ledger;
  /** Records a task. The first of a run is its root; the run lives until the end of the scope. */
  add(id: string, changes?: Partial<TaskState>): Promise<TaskState>;
  /** Records the end of a task. */
  end(id: string, reason: ExitReason, ending?: Partial<TaskEnding>): Promise<void>;
  /** Creates the output of a task and returns how to go on with it. */
  output(id: string, text: string | Uint8Array): (more: string | Uint8Array) => void;
  /** Makes the transcript of a root agent, with the link to it. */
  transcript(task: TaskState): Transcript;
  run(...argv: readonly string[]): Promise<CommandOutcome>;
  /** A command that goes on, with its output so far. */
  start(argv: readonly string[], options?: Partial<Omit<CliIo, "stdout" | "stderr">>): { readonly io: MemoryIo; readonly ended: Promise<CommandOutcome> };
}

export function commandState(): CommandState {
  const state = testState();
  const ledger = openLedger(state.directory);
  const outputs = openTaskOutputs(state.directory, { bytesMax: 10_000_000 });
  const cleanups: (() => void)[] = [];

  function start(argv: readonly string[], options: Partial<Omit<CliIo, "stdout" | "stderr">> = {}) {
    const io = memoryIo({ ...options, env: { AGENT_STATE_DIR: state.path, ...options.env } });
    const ended = runCli(argv, io).then((code) => ({ code, stdout: io.stdout.text, stderr: io.stderr.text }));
    return { io, ended };
  }

  return {
    directory: state.directory,
    path: state.path,
    ledger,
    async add(id, changes = {}) {
      const task = sampleTask({ id: taskId(id), outputFile: outputs.path(taskId(id)), ...changes });
      if (ledger.getRun(task.runId) === undefined) {
        const lock = takeNewOwnerLock(state.directory, task.runId);
        cleanups.push(() => lock.release());
        await ledger.insertRun(sampleRun({ runId: task.runId, sessionId: task.sessionId, rootTaskId: task.id, owner: currentProcess() }), task, { durable: false });
      } else await ledger.insertTask(task, { durable: false });
      return task;
    },
    async end(id, reason, ending = {}) {
      const task = ledger.getTask(taskId(id));
      if (task === undefined) throw new Error(`No task ${id}`);
      await ledger.endTask(task.id, task.attempt, { status: statusFor(reason), exit: exitFor(reason), ...ending }, { endTime: 2_000, durable: false });
    },
    output(id, text) {
      const writer = outputs.create(taskId(id));
      cleanups.push(() => writer.close());
      const write = (more: string | Uint8Array) => writer.write(Buffer.from(more));
      write(text);
      return write;
    },
    transcript(task) {
      const session = openSessionDirectory(state.directory, task.sessionId);
      outputs.link(task.id, session.transcriptPath);
      const transcript = openTranscript({ directory: session.root, name: "transcript.jsonl", sessionId: task.sessionId, agentId: task.id, isSidechain: false });
      cleanups.push(transcript.close, session.close);
      return transcript;
    },
    run: (...argv) => start(argv).ended,
    start,
    [Symbol.dispose]() {
      for (const cleanup of cleanups) cleanup();
      ledger.close();
      state[Symbol.dispose]();
    },
  };
}
