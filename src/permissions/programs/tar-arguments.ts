import type { ShellWord } from "../../core/shell-command.ts";
import type { ArgumentReport } from "./argument-report.ts";
import { literalWord, restOfWord } from "./derived-word.ts";
import { judgeOptions } from "./judge-options.ts";
import type { OptionTable } from "./option-table.ts";
import { type FoundArguments, readOptions } from "./read-options.ts";
import { markDanger, type ReportDraft } from "./report-draft.ts";

/** What tar does: the mode says whether the archive and the directories are read or written. */
export function describeTar(args: readonly ShellWord[]): ArgumentReport {
  const [first] = args;
  const letters = first?.value !== undefined && /^[A-Za-z]+$/.test(first.value) ? first.value : undefined;
  const { words, indexes } = letters === undefined ? { words: args, indexes: [...args.keys()] } : spreadBundle(letters, args);
  const found = readOptions(TAR, words);
  const report = judgeOptions(TAR, found);
  judgeFiles(found, report);
  const { danger } = report;
  return danger === undefined ? report : { ...report, danger: { ...danger, index: indexes[danger.index] ?? danger.index } };
}

const TAR: OptionTable = {
  flags: "ctvxzjJaUpkmwOSWsBihlnGoR --create --list --extract --get --diff --compare --verbose --gzip --bzip2 --xz --zstd --lzma --auto-compress --append --update --catenate --concatenate --delete --to-stdout --keep-old-files --overwrite --no-same-owner --same-owner --preserve-permissions",
  values: "bHKLNV --blocking-factor --format --strip-components --exclude --label --owner --group --mode --mtime --level --sort --transform --xform --starting-file --tape-length --newer --after-date",
  attached: "--checkpoint",
  impure: "rudA",
  reads: "X --exclude-from",
  writes: "g --listed-incremental --index-file --volno-file",
  // Names from a file may be options.
  danger: "P --absolute-names --remove-files",
  dangerValues: "IFT --use-compress-program --checkpoint-action --to-command --info-script --new-volume-script --rsh-command --rmt-command --files-from",
  dangerAttached: "--one-top-level",
  impureValues: "fC --file --directory",
  unlisted: "tolerated",
  operands: "data",
  isImpure: true,
};

/** `tar cfC a.tar dir` is `tar -c -f a.tar -C dir`. */
function spreadBundle(letters: string, args: readonly ShellWord[]): { readonly words: readonly ShellWord[]; readonly indexes: readonly number[] } {
  const words: ShellWord[] = [];
  const indexes: number[] = [];
  let next = 1;
  for (const letter of letters) {
    words.push(literalWord(`-${letter}`));
    indexes.push(0);
    if (!"bCfFgHIKLNTVX".includes(letter) || next >= args.length) continue;
    const value = args[next];
    if (value !== undefined) words.push(value);
    indexes.push(next++);
  }
  return { words: [...words, ...args.slice(next)], indexes: [...indexes, ...args.keys().drop(next)] };
}

function judgeFiles({ options, operands }: FoundArguments, report: ReportDraft): void {
  const isAny = (...names: string[]): boolean => options.some(({ name }) => names.includes(name));
  const isExtracting = isAny("-x", "--extract", "--get");
  const isReading = isExtracting || isAny("-t", "--list", "-d", "--diff", "--compare");
  const isWriting = isAny("-c", "--create", "-r", "--append", "-u", "--update", "-A", "--catenate", "--concatenate", "--delete");
  let isElsewhere = false;
  for (const { name, value, index } of options) {
    if (value === undefined) continue;
    if (name === "-C" || name === "--directory") {
      isElsewhere = true;
      (isExtracting ? report.writes : report.reads).push(value);
    }
    if (name !== "-f" && name !== "--file") continue;
    // A host stands in front of the colon, and is reached by a program.
    if (value.value === undefined ? !value.prefix.includes("/") : /^[^/]*:/.test(value.value)) markDanger(report, index, "the archive may be on another machine");
    if (isReading || !isWriting) report.reads.push(value);
    if (isWriting || !isReading) report.writes.push(value);
  }
  if (isExtracting && !isElsewhere) report.writes.push(literalWord("."));
  if (isExtracting) return;
  for (const { word } of operands) report.reads.push(word.prefix.startsWith("@") && word.value !== undefined ? restOfWord(word, 1) : word);
}
