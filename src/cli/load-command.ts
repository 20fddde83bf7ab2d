import { AppError } from "../core/errors.ts";
import { nearestName } from "../lib/nearest-name.ts";
import type { CliCommand } from "./command.ts";
import { COMMANDS, FLAGGED_COMMANDS, visibleCommands } from "./registry.ts";

/** Throws an `AppError` of reason `usage` for a name that is no command of this build. */
export async function loadCommand(name: string): Promise<CliCommand> {
  const entry = COMMANDS[name];
  if (entry !== undefined) return (await entry.load()).default;
  const flag = FLAGGED_COMMANDS.get(name);
  if (flag !== undefined) {
    throw new AppError("usage", `"${name}" is not in this build (${flag}=off): "agent features" shows what is`, { code: "not_in_build" });
  }
  if (name.startsWith("-")) {
    throw new AppError("usage", `Unknown flag "${name}": flags stand behind a command; see "agent --help"`, { code: "unknown_flag" });
  }
  const nearest = nearestName(name, visibleCommands());
  const hint = nearest === undefined ? 'see "agent --help"' : `did you mean "agent ${nearest}"?`;
  throw new AppError("usage", `Unknown command "${name}": ${hint}`, { code: "unknown_command" });
}
