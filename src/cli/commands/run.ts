import { resolveRunRequest } from "../run/resolve-request.ts";
import { RUN_ARGUMENTS } from "../run/arguments.ts";
import { loadBackgroundRun, loadEphemeralRun, loadForegroundRun } from "../run/registry.ts";
import { defineCliCommand } from "../command.ts";

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
  async run(input) {
    const resolved = await resolveRunRequest(input);
    if (resolved.request.isBackgrounded) return await (await loadBackgroundRun()).runInBackground(resolved, input.io);
    if (input.values.ephemeral === true) return await (await loadEphemeralRun()).runEphemerally(resolved, input.io);
    return await (await loadForegroundRun()).runInForeground(resolved, input.io);
  },
});
