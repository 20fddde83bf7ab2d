import { EXIT_CODES } from "../../core/exit-code.ts";
import { askRunningTask } from "../../runtime/ask-running-task.ts";
import { defineCliCommand } from "../command.ts";
import { withTasks } from "../tasks/with-tasks.ts";

const ANSWER_TIMEOUT_MS = 10_000;

export default defineCliCommand({
  name: "interrupt",
  description: "End the current turn of an agent, which then waits for a message",
  examples: ["agent interrupt ID", 'agent interrupt ID && agent send ID "do it the other way"'],
  args: { task: { type: "positional", description: "Id, beginning of an id, or name" } },
  async run({ values, io }) {
    return await withTasks(io, values.task === undefined ? [] : [values.task], async (store, [id]) => {
      await askRunningTask({ id, store, op: "interrupt", action: "interrupt", timeoutMs: ANSWER_TIMEOUT_MS });
      return EXIT_CODES.ok;
    });
  },
});
