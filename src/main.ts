import { runCli } from "./cli/main.ts";
import { exitProcess } from "./platform/exit.ts";
import { isTerminal } from "./platform/is-terminal.ts";
import { createOutputWriter } from "./platform/output-writer.ts";

const stdout = createOutputWriter(1);
const stderr = createOutputWriter(2);
const code = await runCli(process.argv.slice(2), {
  stdout,
  stderr,
  env: process.env,
  isStdinTty: isTerminal(0),
  isStdoutTty: isTerminal(1),
  isStderrTty: isTerminal(2),
});
await Promise.all([stdout.end(), stderr.end()]);
exitProcess(code);
