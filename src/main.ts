import { runCli } from "./cli/main.ts";
import { errorMessage, systemErrorCode } from "./core/errors.ts";
import { EXIT_CODES } from "./core/exit-code.ts";
import { exitProcess } from "./platform/exit.ts";
import { isTerminal } from "./platform/is-terminal.ts";
import { createOutputWriter } from "./platform/output-writer.ts";

let lost: unknown;
const stdout = createOutputWriter(1);
stdout.onClosed((error) => {
  // A reader who has gone wants no more.
  if (systemErrorCode(error) !== "EPIPE") lost = error;
});
const stderr = createOutputWriter(2);
const code = await runCli(process.argv.slice(2), {
  stdout,
  stderr,
  env: process.env,
  isStdinTty: isTerminal(0),
  isStdoutTty: isTerminal(1),
  isStderrTty: isTerminal(2),
});
await stdout.end();
if (lost !== undefined) await stderr.write(`agent: Cannot write to standard output: ${errorMessage(lost)}\n`);
await stderr.end();
// An answer that nobody can read is no success.
exitProcess(lost !== undefined && code === EXIT_CODES.ok ? EXIT_CODES.storage : code);
