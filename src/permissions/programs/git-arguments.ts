import type { ShellWord } from "../../core/shell-command.ts";
import type { ArgumentReport } from "./argument-report.ts";
import { literalWord, mayBecomeOption } from "./derived-word.ts";
import { GIT_COMMANDS, GIT_DANGER, GIT_RUNNERS, GIT_SUBCOMMANDS } from "./git-commands.ts";
import { judgeOptions } from "./judge-options.ts";
import type { OptionTable } from "./option-table.ts";
import { type FoundArguments, readOptions } from "./read-options.ts";
import { markDanger, type ReportDraft, startReport } from "./report-draft.ts";

/** What git does. It is never pure: the configuration of a repository makes even what only reads start programs. */
export function describeGit(args: readonly ShellWord[]): ArgumentReport {
  const report = startReport(false);
  const at = judgeGlobalOptions(args, report);
  const name = args[at]?.value;
  if (name === undefined) {
    if (at < args.length) markDanger(report, at, "the shell computes what git does");
    return report;
  }
  if (GIT_RUNNERS.has(name)) markDanger(report, at, `git ${name} starts programs`);
  const rest = args.slice(at + 1);
  const table = tableOf(name);
  const found = readOptions(table, rest);
  const judged = judgeOptions(table, found);
  judgeWords(name, { found, report: judged });
  report.reads.push(...judged.reads);
  report.writes.push(...judged.writes);
  if (judged.danger !== undefined) markDanger(report, judged.danger.index + at + 1, judged.danger.why);
  return report;
}

const HARMLESS_GLOBALS: ReadonlySet<string> = new Set(
  "--no-pager -P --no-optional-locks --no-lazy-fetch --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-replace-objects --no-advice --version -v --html-path --man-path --info-path".split(" "),
);
const GLOBALS_WITH_VALUE: ReadonlySet<string> = new Set(["-c", "-C", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--attr-source", "--list-cmds"]);

/** @returns where the subcommand stands */
function judgeGlobalOptions(args: readonly ShellWord[], report: ReportDraft): number {
  let at = 0;
  for (let word = args[at]; word !== undefined && (mayBecomeOption(word) || word.prefix.startsWith("-")); word = args[++at]) {
    if (HARMLESS_GLOBALS.has(word.value ?? "")) continue;
    if (GLOBALS_WITH_VALUE.has(word.value ?? "") && at + 1 < args.length) at++;
    markDanger(report, at, "it changes the repository or the configuration that git works with");
  }
  return at;
}

/** What is dangerous for any subcommand is added to what is known of this one. */
function tableOf(name: string): OptionTable {
  const own = GIT_COMMANDS.get(name) ?? {};
  return {
    ...own,
    danger: joinLists(GIT_DANGER.danger, own.danger),
    dangerValues: joinLists(GIT_DANGER.dangerValues, own.dangerValues),
    dangerAttached: joinLists(GIT_DANGER.dangerAttached, own.dangerAttached),
    unlisted: "tolerated",
    operands: "data",
  };
}

function joinLists(first: string, second: string | undefined): string {
  return `${first} ${second ?? ""}`;
}

function judgeWords(name: string, { found, report }: { readonly found: FoundArguments; readonly report: ReportDraft }): void {
  const { operands, options } = found;
  const words = operands.map(({ word }) => word);
  for (const { name: option, value } of options) if (option === "--output" && value !== undefined) report.writes.push(value);
  for (const { word, index } of operands) {
    if (/^[A-Za-z0-9+.-]+::/.test(word.prefix)) markDanger(report, index, "the address starts a program");
  }
  const verb = operands.find(({ word }) => GIT_SUBCOMMANDS.get(name)?.includes(word.value ?? "") === true);
  if (verb !== undefined && verb === operands[0]) markDanger(report, verb.index, `git ${name} ${verb.word.value ?? ""} starts programs, or sets what git will start`);
  // Outside of a repository, or for paths outside of it, it compares any files.
  if (name === "diff") report.reads.push(...words);
  if (name === "init") report.writes.push(words[0] ?? literalWord("."));
  if (name === "clone") report.writes.push(words[1] ?? literalWord("."));
  if (name === "worktree" && words[0]?.value === "add" && words[1] !== undefined) report.writes.push(words[1]);
  if (name === "bundle" && words[0]?.value === "create" && words[1] !== undefined) report.writes.push(words[1]);
  if (name === "config") judgeConfig(found, report);
}

function judgeConfig({ operands, options }: FoundArguments, report: ReportDraft): void {
  const isAsking = options.some(({ name }) => /^(?:--get(?:-.*)?|--list|-l)$/.test(name)) || operands[0]?.word.value === "get" || operands[0]?.word.value === "list";
  // One word asks for a value, two set it.
  const [, second] = operands;
  if (!isAsking && second !== undefined) markDanger(report, second.index, "it sets what git will start");
}
