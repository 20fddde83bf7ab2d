import type { ShellWord } from "../../core/shell-command.ts";
import type { ArgumentReport } from "./argument-report.ts";
import { mayBecomeOption, maySplit } from "./derived-word.ts";
import { markDanger, startReport } from "./report-draft.ts";

/** `echo`, `true`, `false` and `:` do nothing with any words. */
export function describeEcho(): ArgumentReport {
  return startReport();
}

/** `printf -v` and `%n` set variables, and the shell evaluates what stands in the brackets of a name. */
export function describePrintf(args: readonly ShellWord[]): ArgumentReport {
  const report = startReport();
  const start = args[0]?.value === "--" ? 1 : 0;
  const format = args[start];
  if (format === undefined) return report;
  const { value } = format;
  if (value === undefined) markDanger(report, start, "the shell computes the format, which may set a variable");
  else if (start === 0 && value.startsWith("-")) markDanger(report, Math.min(1, args.length - 1), "an option of it sets a variable");
  else if (/%[-+ #0'*.\d]*[hlLjzt]*n/.test(value)) markDanger(report, start, "%n sets a variable");
  return report;
}

/** `test` and `[`: `-v` and `-R` evaluate what stands in the brackets of a name. */
export function describeTest(args: readonly ShellWord[]): ArgumentReport {
  const report = startReport();
  for (const [index, word] of args.entries()) {
    if (maySplit(word)) markDanger(report, index, "the shell may evaluate what stands in brackets");
    const next = args[index + 1];
    if (next === undefined) continue;
    const mayEvaluate = word.value === undefined ? mayBecomeOption(word) : word.value === "-v" || word.value === "-R";
    if (mayEvaluate && (next.value === undefined || next.value.includes("["))) markDanger(report, index + 1, "the shell may evaluate what stands in brackets");
    if (FILE_TESTS.test(word.value ?? "")) report.reads.push(next);
    const previous = args[index - 1];
    if (FILE_COMPARISONS.has(word.value ?? "") && previous !== undefined) report.reads.push(previous, next);
  }
  return report;
}

/** `command -v` tells what a name means; without it, it runs what follows. */
export function describeCommand(args: readonly ShellWord[]): ArgumentReport {
  const report = startReport();
  if (!/^-[vV]+$/.test(args[0]?.value ?? "") && args.length > 0) markDanger(report, 0, "it runs what follows");
  return report;
}

const FILE_TESTS = /^-[bcdefghkprsuwxGLNOS]$/;
const FILE_COMPARISONS: ReadonlySet<string> = new Set(["-nt", "-ot", "-ef"]);
