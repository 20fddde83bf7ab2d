import { terminalColumns } from "../platform/terminal-columns.ts";
import type { CliIo } from "./command.ts";

/**
 * How many characters fit into a line of the terminal on stdout (1) or stderr (2). COLUMNS goes before what the terminal
 * says. Undefined where there is no terminal, or it does not know: lines are whole then.
 */
export function terminalWidth(io: CliIo, descriptor: 1 | 2): number | undefined {
  if (!(descriptor === 1 ? io.isStdoutTty : io.isStderrTty)) return undefined;
  const columns = Number(io.env["COLUMNS"]);
  return Number.isInteger(columns) && columns > 0 ? columns : (io.columnsOf ?? terminalColumns)(descriptor);
}
