import type { ShellAnalysis, ShellCommand } from "../core/shell-command.ts";

/** All commands of a text and all that they start in their turn. */
export function everyCommand({ commands }: ShellAnalysis): readonly ShellCommand[] {
  return commands.flatMap((command) => (command.inner === undefined ? [command] : [command, ...everyCommand(command.inner.analysis)]));
}
