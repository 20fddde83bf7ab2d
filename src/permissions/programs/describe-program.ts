import type { ShellWord } from "../../core/shell-command.ts";
import type { ArgumentReport, DescribeArguments } from "./argument-report.ts";
import { describeAwk } from "./awk-arguments.ts";
import { describeCommand, describeEcho, describePrintf, describeTest } from "./builtin-arguments.ts";
import { describeDate } from "./date-arguments.ts";
import { describeDd } from "./dd-arguments.ts";
import { FILE_PROGRAMS } from "./file-programs.ts";
import { describeFind } from "./find-arguments.ts";
import { describeGit } from "./git-arguments.ts";
import { describeJq } from "./jq-arguments.ts";
import { judgeArguments } from "./judge-options.ts";
import { describePackageManager } from "./package-managers.ts";
import { SEARCH_PROGRAMS } from "./search-programs.ts";
import { describeSed } from "./sed-arguments.ts";
import { SYSTEM_PROGRAMS } from "./system-programs.ts";
import { describeTar } from "./tar-arguments.ts";
import { TEXT_PROGRAMS } from "./text-programs.ts";
import { TOOL_PROGRAMS } from "./tool-programs.ts";
import { WRITING_PROGRAMS } from "./writing-programs.ts";
import { describeXxd } from "./xxd-arguments.ts";

/**
 * What a program does by its arguments; undefined for one of which nothing is known.
 *
 * @param program the word as written: with a path it may be any program, so that nothing is known of it
 */
export function describeProgram(program: string, args: readonly ShellWord[]): ArgumentReport | undefined {
  const describe = DESCRIBED.get(program);
  if (describe !== undefined) return describe(args);
  for (const family of FAMILIES) {
    const table = family.get(program);
    if (table !== undefined) return judgeArguments(table, args);
  }
  return undefined;
}

const FAMILIES = [TEXT_PROGRAMS, FILE_PROGRAMS, SEARCH_PROGRAMS, SYSTEM_PROGRAMS, WRITING_PROGRAMS, TOOL_PROGRAMS];

/** The programs for which a table of options does not do. */
const DESCRIBED: ReadonlyMap<string, DescribeArguments> = new Map<string, DescribeArguments>([
  ["true", describeEcho],
  ["false", describeEcho],
  [":", describeEcho],
  ["echo", describeEcho],
  ["printf", describePrintf],
  ["test", describeTest],
  ["[", describeTest],
  ["command", describeCommand],
  ["date", describeDate],
  ["dd", describeDd],
  ["find", describeFind],
  ["sed", describeSed],
  ["awk", describeAwk],
  ["gawk", describeAwk],
  ["mawk", describeAwk],
  ["jq", describeJq],
  ["xxd", describeXxd],
  ["tar", describeTar],
  ["git", describeGit],
  ["npm", describePackageManager("npm")],
  ["pnpm", describePackageManager("pnpm")],
  ["yarn", describePackageManager("yarn")],
]);
