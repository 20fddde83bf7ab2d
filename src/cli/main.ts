import { AppError } from "../core/errors.ts";
import { EXIT_CODES, type ExitCode } from "../core/exit-code.ts";
import type { CliIo, ProgramInfo } from "./command.ts";
import { commandHelp, rootHelp } from "./help-text.ts";
import { loadCommand } from "./load-command.ts";
import { hasMangledArguments } from "../platform/mangled-arguments.ts";
import { parseArguments } from "./parse-arguments.ts";
import { visibleCommands } from "./registry.ts";
import { reportFailure } from "./report-failure.ts";

/**
 * Runs one command line and resolves to its exit status. Never rejects; everything for people and machines has been
 * queued on the writers of `io` when it resolves.
 *
 * @param argv the words behind the program's name
 */
export async function runCli(argv: readonly string[], io: CliIo): Promise<ExitCode> {
  try {
    return await route(argv, io);
  } catch (error) {
    return await reportFailure(error, { argv, io });
  }
}

async function route(argv: readonly string[], io: CliIo): Promise<ExitCode> {
  const [first, ...rest] = argv;
  if (hasMangledArguments(argv)) throw new AppError("usage", "An argument is not UTF-8, so that what it names cannot be known: rename it, or put it into a file", { code: "not_utf8" });
  if (first === undefined) {
    // Without a terminal nobody asked for help: most likely a script lost its arguments.
    await (io.isStdoutTty ? io.stdout : io.stderr).write(rootHelp());
    return io.isStdoutTty ? EXIT_CODES.ok : EXIT_CODES.usage;
  }
  if (first === "-h" || first === "--help") {
    await io.stdout.write(rootHelp());
    return EXIT_CODES.ok;
  }
  const name = first === "--version" || first === "-V" ? "version" : first;
  const command = await loadCommand(name);
  const parsed = parseArguments(name, command.args, rest, io.env);
  if (parsed.isHelpAsked) {
    await io.stdout.write(await commandHelp(command));
    return EXIT_CODES.ok;
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the values were made by the command's own table
  return await command.run({ values: parsed.values as never, afterTerminator: parsed.afterTerminator, io, program: PROGRAM });
}

const PROGRAM: ProgramInfo = {
  commandNames: visibleCommands(),
  loadCommands: async () => await Promise.all(visibleCommands().map(loadCommand)),
  helpOf: async (name) => (name === undefined ? rootHelp() : await commandHelp(await loadCommand(name))),
};
