import type { ShellWord } from "../../core/shell-command.ts";
import type { ArgumentReport } from "./argument-report.ts";
import { mayBecomeOption } from "./derived-word.ts";
import { markDanger, startReport } from "./report-draft.ts";

/** What xxd does: its options are words of their own, stand in front of the operands, and the second operand is written. */
export function describeXxd(args: readonly ShellWord[]): ArgumentReport {
  const report = startReport();
  let next = 0;
  for (let word = args[next]; word !== undefined; word = args[++next]) {
    if (mayBecomeOption(word)) markDanger(report, next, "a word that the shell computes may be an option");
    const value = word.value ?? word.prefix;
    if (!value.startsWith("-") || value === "-") break;
    if (WITH_VALUE.test(value)) {
      next++;
      if (args[next]?.isMultiple === true) markDanger(report, next, "a word that the shell computes may be an option");
    } else if (value === "-r") {
      report.isPure = false;
    } else if (!WITHOUT_VALUE.test(value)) {
      markDanger(report, next, `it is not known what ${value} does`);
    }
  }
  const [input, ...outputs] = args.slice(next);
  if (input === undefined) return report;
  report.reads.push(input);
  report.writes.push(...(input.isMultiple ? [input] : []), ...outputs);
  return report;
}

const WITH_VALUE = /^-(?:[cglosn]|cols|len|seek|skip|offset|group|name)$/;
const WITHOUT_VALUE = /^-(?:[abCeEdhiupv]|ps|plain|postscript|autoskip|bits|include|upper|uppercase|ebcdic|version|[cglo]\d+|s[-+]{0,2}(?:0x)?[0-9a-fA-F]+)$/;
