import { randomUUID } from "node:crypto";
import { EXIT_CODES, exitFor, type ExitCode } from "../../core/exit-code.ts";
import type { TaskId } from "../../core/task.ts";
import type { TaskStore } from "../../runtime/open-task-store.ts";
import { waitForTasks } from "../../runtime/wait-for-tasks.ts";
import { defineCliCommand, type CliIo } from "../command.ts";
import { nameFlag } from "../flag-values.ts";
import { printFinalMessage } from "../tasks/print-final-message.ts";
import { readMessage } from "../tasks/read-message.ts";
import { sendToAgent } from "../tasks/send-to-agent.ts";
import { withTasks } from "../tasks/with-tasks.ts";

export default defineCliCommand({
  name: "send",
  description: "Give a message to an agent; one that has ended is woken by it",
  examples: ['agent send ID "also run the linter"', "git diff | agent send ID", 'agent send --wait ID "and now?"', 'agent send --from ci ID "the build is red"'],
  args: {
    task: { type: "positional", description: "Id, beginning of an id, or name" },
    message: { type: "positional", description: 'What to say; "-", or nothing, reads it from standard input' },
    from: { type: "string", valueHint: "name", description: "Who says so; unless given it counts as the words of the user" },
    wait: { type: "boolean", description: 'Then wait for the agent to end, as "agent wait" does' },
    verbose: { type: "boolean", alias: "v", description: "Print the id of the message, which the event message.delivered names" },
  },
  async run({ values, io }) {
    const sender = nameFlag("--from", values.from);
    return await withTasks(io, values.task === undefined ? [] : [values.task], async (store, [id]) => {
      const text = await readMessage(values.message, io);
      const messageId = await sendToAgent({ id, message: { messageId: randomUUID(), text, sender }, store, io });
      if (values.verbose === true) await io.stdout.write(`${messageId}\n`);
      return values.wait === true ? await waitForEnd(id, store, io) : EXIT_CODES.ok;
    });
  },
});

async function waitForEnd(id: TaskId, store: TaskStore, io: CliIo): Promise<ExitCode> {
  const [task] = await waitForTasks({ store, ids: [id], until: "all" });
  if (task === undefined) return EXIT_CODES.internal;
  await printFinalMessage(task, store, io);
  return io.stdout.isClosed ? EXIT_CODES.epipe : exitFor(task.exit?.reason ?? "internal").code;
}
