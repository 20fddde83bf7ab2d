import type { ShellWord } from "../../core/shell-command.ts";
import type { ArgumentReport } from "./argument-report.ts";
import { findAwkObstacle } from "./awk-program.ts";
import { judgeOptions } from "./judge-options.ts";
import type { OptionTable } from "./option-table.ts";
import { readOptions } from "./read-options.ts";
import { markDanger } from "./report-draft.ts";

/** What awk does: its program decides. */
export function describeAwk(args: readonly ShellWord[]): ArgumentReport {
  const words = args.slice(0, programIndex(args) + 1);
  const found = readOptions(AWK, words);
  const report = judgeOptions(AWK, found);
  const [program] = found.operands;
  if (program === undefined) return report;
  const why = program.word.value === undefined ? "the shell computes its program" : findAwkObstacle(program.word.value);
  if (why !== undefined) markDanger(report, program.index, why);
  const network = args.findIndex(({ prefix }, index) => index > program.index && prefix.startsWith("/inet"));
  if (network !== -1) markDanger(report, network, "it may be a connection");
  report.reads.push(...args.slice(program.index + 1).filter(({ value }) => value === undefined || !ASSIGNMENT.test(value)));
  return report;
}

const AWK: OptionTable = {
  flags: "--version --posix --traditional --re-interval --lint",
  values: "Fv --field-separator --assign",
  unlisted: "dangerous",
  operands: "data-read",
};

const ASSIGNMENT = /^[A-Za-z_]\w*=/;

/** Options end where the program stands: what follows belongs to the program. */
function programIndex(args: readonly ShellWord[]): number {
  return readOptions(AWK, args).operands[0]?.index ?? args.length - 1;
}
