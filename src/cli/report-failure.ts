import { AppError, errorMessage } from "../core/errors.ts";
import { EXIT_CODES, type ExitCode } from "../core/exit-code.ts";
import { visibleText } from "../lib/visible-text.ts";
import type { CliIo } from "./command.ts";
import { createLog } from "./log.ts";
import { visibleJson } from "../lib/visible-json.ts";

/**
 * Tells what went wrong, once, and resolves to the exit status that says the same. People get a line on stderr; who
 * asked for a machine format gets an object on stdout as well.
 */
export async function reportFailure(error: unknown, { argv, io }: { readonly argv: readonly string[]; readonly io: CliIo }): Promise<ExitCode> {
  const failure = error instanceof AppError ? error : new AppError("internal", `Internal error: ${errorMessage(error)}`, { cause: error });
  createLog(io.stderr, { level: "error" }).error(failure.message);
  if (!(error instanceof AppError) && error instanceof Error && error.stack !== undefined) await io.stderr.write(`${visibleText(error.stack)}\n`);
  if (wantsJson(argv, io.env)) {
    const body = { v: 1, type: "error", error: { code: failure.code, reason: failure.reason, message: failure.message }, exit: { code: EXIT_CODES[failure.reason], reason: failure.reason } };
    await io.stdout.write(`${visibleJson(JSON.stringify(body))}\n`);
  }
  return EXIT_CODES[failure.reason];
}

/** Looks at the words themselves: the failure may be that they could not be parsed. */
function wantsJson(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): boolean {
  const words = argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv;
  if (words.includes("--json")) return true;
  const index = words.findIndex((word) => word === "--output-format" || word.startsWith("--output-format="));
  const format = index === -1 ? (words[0] === "run" || words[0] === "resume" ? env["AGENT_OUTPUT_FORMAT"] : undefined) : (words[index]?.split("=", 2)[1] ?? words[index + 1]);
  return format === "json" || format === "stream-json";
}
