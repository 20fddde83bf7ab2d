import { EXIT_CODES, type ExitCode } from "../../core/exit-code.ts";
import type { TaskSummaryRow } from "../../store/ledger-rows.ts";
import { defineCliCommand, type CliIo } from "../command.ts";
import { listedTask } from "../tasks/listed-task.ts";
import { resolveTaskReference, unknownTask } from "../tasks/resolve-task-reference.ts";
import { parseTaskFilter } from "../tasks/task-filter.ts";
import { taskTable } from "../tasks/task-table.ts";
import { withTaskStore } from "../tasks/with-task-store.ts";
import { visibleJson } from "../../lib/visible-json.ts";

export default defineCliCommand({
  name: "ps",
  description: "List tasks",
  examples: ["agent ps", "agent ps -a --filter status=failed", "agent ps -q --filter type=local_bash", "agent ps --json"],
  args: {
    all: { type: "boolean", alias: "a", description: "Also tasks that have ended or run in the foreground" },
    quiet: { type: "boolean", alias: "q", description: "Print the ids alone, one in a line" },
    json: { type: "boolean", description: "Print an array of records" },
    filter: { type: "string", isMultiple: true, valueHint: "key=value", description: "status, type, parent, name, cwd or terminal; status and terminal look at all tasks" },
  },
  async run({ values, io }) {
    return await withTaskStore(io, async (store) => {
      const filter = parseTaskFilter(values.filter, (text) => {
        if (store === undefined) throw unknownTask(text);
        return resolveTaskReference(text, store.ledger);
      });
      const tasks = store?.ledger.listTasks({ all: values.all === true || filter.asksForEnded }) ?? [];
      return await print(tasks.filter(filter.matches), values, io);
    });
  },
});

async function print(
  tasks: readonly TaskSummaryRow[],
  form: { readonly quiet: boolean | undefined; readonly json: boolean | undefined },
  io: CliIo,
): Promise<ExitCode> {
  if (form.json === true) await io.stdout.write(`${visibleJson(JSON.stringify(tasks.map(listedTask)))}\n`);
  else if (form.quiet === true) await io.stdout.write(tasks.map((task) => `${task.id}\n`).join(""));
  else await io.stdout.write(taskTable(tasks, { now: Date.now(), ...terminalWidth(io) }));
  return EXIT_CODES.ok;
}

function terminalWidth({ isStdoutTty, env }: CliIo): { readonly columns?: number } {
  const columns = Number(env["COLUMNS"]);
  return isStdoutTty && Number.isInteger(columns) && columns > 0 ? { columns } : {};
}
