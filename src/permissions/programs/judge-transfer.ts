import type { ShellWord } from "../../core/shell-command.ts";
import { literalWord } from "./derived-word.ts";
import type { FoundArguments } from "./read-options.ts";
import { markDanger, type ReportDraft } from "./report-draft.ts";

export interface Transfer {
  readonly found: FoundArguments;
  /** Whether an option names the directory into which everything goes. */
  readonly isTargetGiven: boolean;
  readonly report: ReportDraft;
}

/** What a program reads and writes that puts files elsewhere, under their own names where the target is a directory. */
export function judgeTransfer(kind: "copy" | "move" | "link", { found: { operands, options }, isTargetGiven, report }: Transfer): void {
  const isAlone = kind === "link" && operands.length === 1 && !isTargetGiven;
  const sources = isTargetGiven || isAlone ? operands : operands.slice(0, -1);
  const last = operands.at(-1);
  // Whoever writes to such a link writes to its source.
  const isHardLink = kind === "link" && !options.some(({ name }) => name === "-s" || name === "--symbolic");
  const targets = isTargetGiven ? options.filter(({ name }) => name === "-t" || name === "--target-directory").map(({ value }) => value) : [isAlone ? literalWord(".") : last?.word];
  // Several words may come of the last: any of them is a source then.
  if (!isTargetGiven && last?.word.isMultiple === true) report.reads.push(last.word);
  for (const { word, index } of sources) {
    report.reads.push(word);
    if (kind === "move" || isHardLink) report.writes.push(word);
    if (word.value !== undefined && NAMELESS.test(word.value)) markDanger(report, index, "the names of what it copies are not told");
    for (const target of targets) report.writes.push(...placesIn(target, word));
  }
  // What an option names is in the report already.
  if (!isTargetGiven) for (const target of targets) if (target !== undefined) report.writes.push(target);
}

/** Ends with `.`, `..` or nothing, so that what is in it goes to the target and not the directory. */
const NAMELESS = /(?:^|\/)\.{0,2}\/*$/;

/** Where a source is put when the target is a directory. */
function placesIn(target: ShellWord | undefined, source: ShellWord): readonly ShellWord[] {
  if (target?.value === undefined) return [];
  const directory = `${target.value.replace(/\/+$/, "")}/`;
  if (source.value !== undefined) return [literalWord(`${directory}${/([^/]*)\/*$/.exec(source.value)?.[1] ?? ""}`)];
  return [{ prefix: directory, isMultiple: source.isMultiple, ...(source.glob !== undefined && { glob: { ...source.glob, directory } }) }];
}
