import { EXIT_CODES, type ExitCode } from "../../core/exit-code.ts";
import { getPillLabel } from "../../core/pill-label.ts";
import type { TaskId } from "../../core/task.ts";
import { wallClock } from "../../platform/wall-clock.ts";
import type { TaskStore } from "../../runtime/open-task-store.ts";
import type { TaskSummaryRow } from "../../store/ledger-rows.ts";
import { defineCliCommand, type CliIo } from "../command.ts";
import { listedTask } from "../tasks/listed-task.ts";
import { listedWorktrees, type ListedWorktree } from "../tasks/listed-worktrees.ts";
import { resolveTaskReference, unknownTask } from "../tasks/resolve-task-reference.ts";
import { parseTaskFilter, type TaskFilter } from "../tasks/task-filter.ts";
import { taskTable } from "../tasks/task-table.ts";
import { terminalWidth } from "../terminal-width.ts";
import { withTaskStore } from "../tasks/with-task-store.ts";
import { visibleJson } from "../../lib/visible-json.ts";

export default defineCliCommand({
  name: "ps",
  description: "List tasks",
  examples: ["agent ps", "agent ps -a --filter status=failed", "agent ps -q --filter type=local_bash", "agent ps -a --tree", "agent ps --json"],
  args: {
    all: { type: "boolean", alias: "a", description: "Also tasks that have ended or run in the foreground" },
    quiet: { type: "boolean", alias: "q", description: "Print the ids alone, one in a line" },
    json: { type: "boolean", description: "Print an array of records" },
    tree: { type: "boolean", description: "Show below each task, further in, what it started" },
    pill: { type: "boolean", description: "Print a few words on what runs in the background; nothing where nothing does" },
    filter: { type: "string", isMultiple: true, valueHint: "key=value", description: "status, type, parent, name, cwd or terminal; status and terminal look at all tasks" },
  },
  async run({ values, io }) {
    return await withTaskStore(io, async (store) => {
      const filter = parseTaskFilter(values.filter, (text) => {
        if (store === undefined) throw unknownTask(text);
        return resolveTaskReference(text, store.ledger);
      });
      if (values.pill === true) return await printPill(store, filter, io);
      const tasks = store?.ledger.listTasks({ all: values.all === true || filter.asksForEnded }) ?? [];
      const matching = tasks.filter(filter.matches);
      return await print(matching, { ...values, worktrees: store === undefined ? new Map() : listedWorktrees(matching, store.paths.state) }, io);
    });
  },
});

async function print(
  tasks: readonly TaskSummaryRow[],
  form: { readonly quiet: boolean | undefined; readonly json: boolean | undefined; readonly tree: boolean | undefined; readonly worktrees: ReadonlyMap<TaskId, ListedWorktree> },
  io: CliIo,
): Promise<ExitCode> {
  if (form.json === true) await io.stdout.write(`${visibleJson(JSON.stringify(tasks.map((task) => listedTask(task, form.worktrees.get(task.id)))))}\n`);
  else if (form.quiet === true) await io.stdout.write(tasks.map((task) => `${task.id}\n`).join(""));
  else await io.stdout.write(taskTable(tasks, { now: wallClock(), columns: terminalWidth(io, 1), isTree: form.tree === true, worktrees: form.worktrees }));
  return EXIT_CODES.ok;
}

/** The words need what lists leave out of the records. */
async function printPill(store: TaskStore | undefined, filter: TaskFilter, io: CliIo): Promise<ExitCode> {
  const tasks = store?.ledger.listTasks({ all: false }).filter(filter.matches) ?? [];
  const label = getPillLabel(tasks.flatMap(({ id }) => store?.ledger.getTask(id) ?? []));
  if (label !== "") await io.stdout.write(`${label}\n`);
  return EXIT_CODES.ok;
}
