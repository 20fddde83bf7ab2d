import type { CliCommand } from "./command.ts";
import { COMMANDS, loadUsageText, visibleCommands } from "./registry.ts";

/** The help of the program: what to type first, then every command in a line. Loads no command. */
export function rootHelp(): string {
  const names = visibleCommands();
  const width = Math.max(...names.map((name) => name.length));
  return [
    "agent runs coding agents without a terminal, in the foreground or in the background.",
    "",
    "Examples:",
    '  agent run "explain what this project does"',
    "  agent run -d --permission-mode acceptEdits --allow 'Bash(npm test:*)' \"make the tests pass\"",
    "  agent logs -f ID",
    "",
    "Commands:",
    ...names.map((name) => `  ${name.padEnd(width)}  ${COMMANDS[name]?.description ?? ""}`),
    "",
    'More about one of them: "agent help COMMAND".',
    "",
  ].join("\n");
}

/** The help of one command: examples first, then its arguments and flags. */
export async function commandHelp(command: CliCommand): Promise<string> {
  const examples = command.examples.map((example) => `  ${example}`);
  // The columns of arguments are filled up with blanks.
  const usageText = await loadUsageText();
  const usage = (await usageText(command)).split("\n").slice(2).map((line) => line.trimEnd());
  return [`${command.description}.`, "", "Examples:", ...examples, "", usage.join("\n").trim(), ""].join("\n");
}
