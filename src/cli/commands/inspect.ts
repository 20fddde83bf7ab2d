import { EXIT_CODES } from "../../core/exit-code.ts";
import { defineCliCommand } from "../command.ts";
import { inspectedTask } from "../tasks/inspected-task.ts";
import { unknownTask } from "../tasks/resolve-task-reference.ts";
import { withTasks } from "../tasks/with-tasks.ts";
import { visibleJson } from "../../lib/visible-json.ts";

export default defineCliCommand({
  name: "inspect",
  description: "Show the whole record of tasks as JSON",
  examples: ["agent inspect ID", "agent inspect ID | jq '.[0].exit'"],
  args: {
    task: { type: "positional", isMultiple: true, description: "Id, beginning of an id, or name; several may be given" },
    json: { type: "boolean", description: "As without it: the output is always JSON" },
  },
  async run({ values, io }) {
    return await withTasks(io, values.task, async (store, ids) => {
      const records = ids.map((id) => {
        const task = store.ledger.getTask(id);
        if (task === undefined) throw unknownTask(id);
        return inspectedTask(task, store);
      });
      await io.stdout.write(`${visibleJson(JSON.stringify(records, undefined, io.isStdoutTty ? 2 : 0))}\n`);
      return EXIT_CODES.ok;
    });
  },
});
