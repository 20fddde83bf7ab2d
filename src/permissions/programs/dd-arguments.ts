import type { ShellWord } from "../../core/shell-command.ts";
import type { ArgumentReport } from "./argument-report.ts";
import { restOfWord } from "./derived-word.ts";
import { markDanger, startReport } from "./report-draft.ts";

/** What dd does: all its arguments are `NAME=VALUE`, and `of` is written, with whatever stood there. */
export function describeDd(args: readonly ShellWord[]): ArgumentReport {
  const report = startReport(false);
  for (const [index, word] of args.entries()) {
    const name = /^([a-z]+)=/.exec(word.prefix)?.[1];
    if (name === "if") report.reads.push(restOfWord(word, 3));
    else if (name === "of") report.writes.push(restOfWord(word, 3));
    else if (name === undefined || !HARMLESS.has(name)) markDanger(report, index, "it is not known what this argument does");
  }
  return report;
}

const HARMLESS: ReadonlySet<string> = new Set(["bs", "cbs", "conv", "count", "ibs", "iflag", "iseek", "obs", "oflag", "oseek", "seek", "skip", "status"]);
