import type { ShellWord } from "../../core/shell-command.ts";
import type { ArgumentReport } from "./argument-report.ts";
import { literalWord, mayBecomeOption } from "./derived-word.ts";
import { markDanger, type ReportDraft, startReport } from "./report-draft.ts";

/** What find does: some of its tests and actions write, remove or run. */
export function describeFind(args: readonly ShellWord[]): ArgumentReport {
  const report = startReport();
  let next = 0;
  while (LEADING_OPTIONS.has(args[next]?.value ?? "")) next += args[next]?.value === "-D" ? 2 : 1;
  const start = next;
  for (let word = args[next]; word !== undefined && !isExpressionStart(word); word = args[++next]) {
    report.reads.push(word);
    if (mayBecomeOption(word)) markDanger(report, next, "a word that the shell computes may be an action");
  }
  if (next === start) report.reads.push(literalWord("."));
  while (next < args.length) next = judgePrimary(args, next, report);
  return report;
}

const LEADING_OPTIONS: ReadonlySet<string> = new Set(["-H", "-L", "-P", "-E", "-D", "-O0", "-O1", "-O2", "-O3"]);

const WITHOUT_VALUE: ReadonlySet<string> = new Set(
  "! ( ) , -not -a -and -o -or -true -false -print -print0 -ls -prune -quit -depth -d -mount -xdev -follow -daystart -noleaf -ignore_readdir_race -noignore_readdir_race -warn -nowarn -empty -executable -readable -writable -nouser -nogroup -help --help -version --version".split(" "),
);
const WITH_DATA: ReadonlySet<string> = new Set(
  "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -lname -ilname -type -xtype -size -mtime -atime -ctime -mmin -amin -cmin -used -perm -user -group -uid -gid -links -inum -maxdepth -mindepth -fstype -printf -context".split(" "),
);
const WITH_FILE: ReadonlySet<string> = new Set(["-newer", "-anewer", "-cnewer", "-samefile"]);
const WITH_OUTPUT: ReadonlySet<string> = new Set(["-fls", "-fprint", "-fprint0", "-fprintf"]);
const WITH_PROGRAM: ReadonlySet<string> = new Set(["-exec", "-execdir", "-ok", "-okdir"]);

function isExpressionStart({ value }: ShellWord): boolean {
  return value !== undefined && (value === "!" || value === "(" || value === ")" || value === "," || (value.startsWith("-") && value !== "-"));
}

/** @returns the index behind it */
function judgePrimary(args: readonly ShellWord[], index: number, report: ReportDraft): number {
  const name = args[index]?.value;
  const value = args[index + 1];
  if (name === undefined) {
    markDanger(report, index, "a word that the shell computes may be an action");
    return index + 1;
  }
  if (WITHOUT_VALUE.has(name)) return index + 1;
  if (WITH_PROGRAM.has(name)) {
    markDanger(report, value === undefined ? index : index + 1, `${name} runs a program`);
    return behindCommand(args, index + 1);
  }
  const isTime = /^-newer[aBcm]t$/.test(name);
  if (WITH_DATA.has(name) || isTime) return behindValue(args, index, report);
  if (WITH_FILE.has(name) || /^-newer[aBcm]{2}$/.test(name)) {
    if (value !== undefined) report.reads.push(value);
    return behindValue(args, index, report);
  }
  if (WITH_OUTPUT.has(name)) {
    if (value !== undefined) report.writes.push(value);
    return behindValue(args, index, report) + (name === "-fprintf" ? 1 : 0);
  }
  markDanger(report, index, name === "-delete" ? "-delete removes what it finds" : `it is not known what ${name} does`);
  return index + 1;
}

/** What becomes several words gives words to the expression too. */
function behindValue(args: readonly ShellWord[], index: number, report: ReportDraft): number {
  if (args[index + 1]?.isMultiple === true) markDanger(report, index + 1, "a word that the shell computes may be an action");
  return index + 2;
}

function behindCommand(args: readonly ShellWord[], start: number): number {
  for (let index = start; index < args.length; index++) {
    const value = args[index]?.value;
    if (value === ";" || (value === "+" && args[index - 1]?.value === "{}")) return index + 1;
  }
  return args.length;
}
