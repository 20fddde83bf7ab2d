import { AppError } from "../../core/errors.ts";
import { EXIT_CODES, exitFor, type ExitCode } from "../../core/exit-code.ts";
import type { TaskState } from "../../core/task-state.ts";
import type { TaskStore } from "../../runtime/open-task-store.ts";
import { waitForTasks } from "../../runtime/wait-for-tasks.ts";
import { defineCliCommand } from "../command.ts";
import { finalMessage } from "../tasks/final-message.ts";
import { printFinalMessage } from "../tasks/print-final-message.ts";
import { durationFlag } from "../flag-values.ts";
import { taskRecord } from "../tasks/task-record.ts";
import { withTasks } from "../tasks/with-tasks.ts";
import { visibleJson } from "../../lib/visible-json.ts";

export default defineCliCommand({
  name: "wait",
  description: "Wait for tasks to end and exit as they did",
  examples: ["agent wait ID", "agent wait --any $(agent ps -q)", "agent wait --timeout 10m ID || echo $?"],
  args: {
    task: { type: "positional", isMultiple: true, description: "Id, beginning of an id, or name; several may be given" },
    any: { type: "boolean", description: "Until one of them has ended, and exit as that one" },
    all: { type: "boolean", description: "Until all have ended; the first that failed, in the order given, decides (the default)" },
    timeout: { type: "string", valueHint: "duration", description: "Give up after this long and exit with 124" },
    json: { type: "boolean", description: "Print an array of records with their final messages" },
    quiet: { type: "boolean", alias: "q", description: "Print nothing" },
  },
  async run({ values, io }) {
    if (values.any === true && values.all === true) throw new AppError("usage", "Cannot use --any together with --all: give one of them");
    const timeoutMs = durationFlag("--timeout", values.timeout);
    return await withTasks(io, values.task, async (store, ids) => {
      const ended = await waitForTasks({ store, ids, until: values.any === true ? "any" : "all", timeoutMs });
      const tasks = values.any === true ? ended.slice(0, 1) : ended;
      if (values.json === true) await io.stdout.write(`${visibleJson(JSON.stringify(tasks.map((task) => waitedTask(task, store))))}\n`);
      else if (values.quiet !== true) for (const task of tasks) await printFinalMessage(task, store, io);
      return io.stdout.isClosed ? EXIT_CODES.epipe : exitCodeOf(tasks);
    });
  },
});

/** `taskRecord`, then `result`: the final message, null where there is none. */
function waitedTask(task: TaskState, store: TaskStore) {
  const { bytes } = finalMessage(task, store);
  return { ...taskRecord(task), result: bytes.length === 0 ? null : Buffer.from(bytes).toString() };
}

function exitCodeOf(tasks: readonly TaskState[]): ExitCode {
  const codes = tasks.map((task) => exitFor(task.exit?.reason ?? "internal").code);
  return codes.find((code) => code !== EXIT_CODES.ok) ?? EXIT_CODES.ok;
}
