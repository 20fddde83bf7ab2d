import type { ShellWord } from "../../core/shell-command.ts";
import type { ArgumentReport } from "./argument-report.ts";
import { literalWord } from "./derived-word.ts";
import { judgeOptions } from "./judge-options.ts";
import type { OptionTable } from "./option-table.ts";
import { type FoundOperand, type FoundOption, readOptions } from "./read-options.ts";
import { markDanger, type ReportDraft } from "./report-draft.ts";
import { findSedObstacle } from "./sed-script.ts";

/** What sed does: its script decides, and `-i`, by which it changes the files it reads. */
export function describeSed(args: readonly ShellWord[]): ArgumentReport {
  const found = readOptions(SED, args);
  const report = judgeOptions(SED, found);
  const given = found.options.filter(({ name }) => SCRIPT_OPTIONS.has(name)).map(({ value, index }) => ({ word: value, index }));
  const [first] = found.operands;
  const scripts = given.length > 0 || first === undefined ? given : [first];
  const files = given.length > 0 || first?.word.isMultiple === true ? found.operands : found.operands.slice(1);
  judgeScripts(scripts, report);
  report.reads.push(...files.map(({ word }) => word));
  // Sed of BSD reads options in front alone, and takes what stands before them for the script.
  if (given.length > 0 && first !== undefined && first.index < (given.at(-1)?.index ?? 0)) judgeLikelyScript(first.word, report);
  for (const option of found.options) if (IN_PLACE.has(option.name)) judgeInPlace(option, { files, hasOwnScript: given.length > 0, report });
  return report;
}

const SED: OptionTable = {
  flags: "nErusz --quiet --silent --debug --posix --regexp-extended --separate --sandbox --unbuffered --null-data --help --version",
  values: "e --expression --line-length",
  attached: "i --in-place",
  danger: "I --follow-symlinks",
  dangerValues: "f --file",
  unlisted: "dangerous",
  operands: "data-read",
};

const SCRIPT_OPTIONS: ReadonlySet<string> = new Set(["-e", "--expression"]);
const IN_PLACE: ReadonlySet<string> = new Set(["-i", "--in-place"]);

function judgeScripts(scripts: readonly { readonly word: ShellWord | undefined; readonly index: number }[], report: ReportDraft): void {
  const last = scripts.at(-1);
  if (last === undefined) return;
  const texts = scripts.map(({ word }) => word?.value);
  // Several make one script, in which the last may be the text of a command before it, or the other way round.
  const script = texts.every((text) => text !== undefined) ? texts.join("\n") : undefined;
  const obstacle = script === undefined ? { why: "the shell computes its script" } : findSedObstacle(script);
  if (obstacle !== undefined) markDanger(report, last.index, obstacle.why);
}

interface InPlace {
  readonly files: readonly FoundOperand[];
  readonly hasOwnScript: boolean;
  readonly report: ReportDraft;
}

function judgeInPlace({ value: suffix, index }: FoundOption, { files, hasOwnScript, report }: InPlace): void {
  report.writes.push(...files.map(({ word }) => word));
  if (suffix !== undefined) {
    // With a slash or an asterisk the backup goes elsewhere.
    if (suffix.value === undefined || !/^[\w.~-]+$/.test(suffix.value)) markDanger(report, index, "the suffix says where backups are written");
    else for (const { word } of files) report.writes.push(word.value === undefined ? word : literalWord(`${word.value}${suffix.value}`));
    return;
  }
  // Sed of BSD takes the next word for the suffix, and so the first file for the script.
  const [file] = files;
  if (!hasOwnScript && file !== undefined) judgeLikelyScript(file.word, report);
}

function judgeLikelyScript({ value }: ShellWord, report: ReportDraft): void {
  const file = value === undefined ? undefined : findSedObstacle(value)?.file;
  if (file !== undefined) report.writes.push(literalWord(file));
}
