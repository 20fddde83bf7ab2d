import { defineCliCommand } from "../command.ts";
import { RUN_ARGUMENTS } from "../run/arguments.ts";
import { startRun } from "../run/start-run.ts";

export default defineCliCommand({
  name: "run",
  description: "Run an agent on a prompt, or a command with --exec",
  examples: [
    'agent run "say hi"',
    "agent run --permission-mode acceptEdits --allow 'Bash(npm test:*)' \"make the tests pass\"",
    'id=$(agent run -d "review src/"); agent wait "$id"',
    'git diff | agent run "review this change"',
    "agent run -d --exec -- make -j2",
  ],
  args: RUN_ARGUMENTS,
  run: startRun,
});
