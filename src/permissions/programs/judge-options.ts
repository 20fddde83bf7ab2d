import type { ShellWord } from "../../core/shell-command.ts";
import type { ArgumentReport } from "./argument-report.ts";
import { literalWord } from "./derived-word.ts";
import type { OptionTable } from "./option-table.ts";
import { type FoundArguments, readOptions } from "./read-options.ts";
import { markDanger, type ReportDraft, startReport } from "./report-draft.ts";
import { judgeTransfer } from "./judge-transfer.ts";

/** What arguments do by a table alone. */
export function judgeArguments(table: OptionTable, args: readonly ShellWord[]): ArgumentReport {
  const found = readOptions(table, args);
  const report = judgeOptions(table, found);
  judgeOperands(table, found, report);
  return report;
}

/** What the options do; whoever calls it looks at the operands. */
export function judgeOptions(table: OptionTable, { options, unlisted, computed }: FoundArguments): ReportDraft {
  const report = startReport(table.isImpure !== true);
  for (const { name, value, effect, index } of options) {
    if (effect === "danger") markDanger(report, index, `${name} can run a program or write a file`);
    if (effect === "impure" || (effect === "number" && !/^[-+]?\d+$/.test(value?.value ?? ""))) report.isPure = false;
    if (effect === "read" && value !== undefined) report.reads.push(value);
    if (effect === "write" && value !== undefined) report.writes.push(value);
  }
  for (const { index, name, isShortened } of unlisted) {
    report.isPure = false;
    if (isShortened) markDanger(report, index, `${name} may be short for an option that runs a program or names a file`);
    else if (table.unlisted === "dangerous") markDanger(report, index, `it is not known what ${name} does`);
  }
  for (const index of computed) {
    report.isPure = false;
    if (table.unlisted !== "harmless") markDanger(report, index, "a word that the shell computes may be an option");
  }
  return report;
}

function judgeOperands(table: OptionTable, found: FoundArguments, report: ReportDraft): void {
  const { operands, options } = found;
  const words = operands.map(({ word }) => word);
  for (const { word, index } of operands) if (table.dangerousOperand?.test(word.prefix) === true) markDanger(report, index, "the word changes what is started");
  const isFirstGiven = options.some(({ name }) => table.firstBy?.includes(name) === true);
  switch (table.operands) {
    case "data":
      break;
    case "none":
      for (const { index } of operands) markUnexpected(table, report, index);
      break;
    case "read":
      report.reads.push(...words);
      break;
    case "read-here":
      report.reads.push(...(words.length === 0 ? [literalWord(".")] : words));
      break;
    case "write":
      report.writes.push(...words);
      break;
    case "data-read":
    case "data-read-here":
      report.reads.push(...behindFirst(words, isFirstGiven));
      break;
    case "data-write":
      report.writes.push(...behindFirst(words, isFirstGiven));
      break;
    case "copy":
    case "move":
    case "link":
      judgeTransfer(table.operands, { found, isTargetGiven: isFirstGiven, report });
      break;
    case "filter":
      judgeFilter(found, report);
      break;
  }
  const isHereBy = options.some(({ name, value }) => table.hereBy?.some((by) => by === name || by === `${name}=${value?.value ?? ""}`));
  const readsHere = table.operands === "data-read-here" || isHereBy;
  if (readsHere && behindFirst(words, isFirstGiven).length === 0) report.reads.push(literalWord("."));
}

function markUnexpected(table: OptionTable, report: ReportDraft, index: number): void {
  report.isPure = false;
  if (table.unlisted === "dangerous") markDanger(report, index, "it takes no such word");
}

/** A first word that becomes several is among the others too. */
function behindFirst(words: readonly ShellWord[], isFirstGiven: boolean): readonly ShellWord[] {
  return isFirstGiven || words[0]?.isMultiple === true ? words : words.slice(1);
}

function judgeFilter({ operands, options }: FoundArguments, report: ReportDraft): void {
  const [first] = operands;
  if (first === undefined) return;
  report.reads.push(first.word);
  report.writes.push(...behindFirst(operands.map(({ word }) => word), false));
  // Where options stand in front alone, as on BSD, one behind the input names the output.
  const late = options.find(({ index }) => index > first.index);
  if (late !== undefined) markDanger(report, late.index, "behind the input it may name the output");
}
