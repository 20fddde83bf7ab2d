import { defineCliCommand } from "../command.ts";
import { RESUME_ARGUMENTS } from "../run/arguments.ts";
import { startRun } from "../run/start-run.ts";
import { requireReferences } from "../tasks/resolve-task-reference.ts";

export default defineCliCommand({
  name: "resume",
  description: "Go on with an agent that has ended: the next attempt at its task",
  examples: ["agent resume ID", 'agent resume ID "now the other file"', 'agent resume -d --permission-mode acceptEdits ID "go on"'],
  args: RESUME_ARGUMENTS,
  async run({ values: { task, ...values }, io }) {
    const [reference] = requireReferences(task === undefined ? [] : [task]);
    return await startRun({
      values: { ...values, resume: reference, continue: undefined, ephemeral: undefined, exec: undefined, isolation: undefined, base: undefined, "carry-changes": undefined, agent: undefined, replay: undefined },
      afterTerminator: undefined,
      io,
    });
  },
});
