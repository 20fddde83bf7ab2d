import type { ShellWord } from "../../core/shell-command.ts";
import type { ArgumentReport } from "./argument-report.ts";
import { judgeOptions } from "./judge-options.ts";
import type { OptionTable } from "./option-table.ts";
import { readOptions } from "./read-options.ts";
import { markDanger } from "./report-draft.ts";

/** What date does: an operand that is not a format sets the clock, as `-s` does. */
export function describeDate(args: readonly ShellWord[]): ArgumentReport {
  const found = readOptions(DATE, args);
  const report = judgeOptions(DATE, found);
  for (const { word, index } of found.operands) if (!word.prefix.startsWith("+")) markDanger(report, index, "it sets the clock");
  return report;
}

const DATE: OptionTable = {
  flags: "uRjn --utc --universal --rfc-email --rfc-2822 --debug --resolution --help --version",
  values: "dv --date --rfc-3339",
  attached: "I --iso-8601",
  reads: "fr --file --reference",
  dangerValues: "s --set",
  unlisted: "dangerous",
  operands: "data",
};
