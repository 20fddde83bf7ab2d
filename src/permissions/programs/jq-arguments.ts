import type { ShellWord } from "../../core/shell-command.ts";
import type { ArgumentReport } from "./argument-report.ts";
import { mayBecomeOption } from "./derived-word.ts";
import { startReport } from "./report-draft.ts";

/**
 * What jq does: no option and no filter of it writes or runs, but filters can read modules, and `env` shows the environment.
 */
export function describeJq(args: readonly ShellWord[]): ArgumentReport {
  const report = startReport();
  const operands: ShellWord[] = [];
  let isEnded = false;
  let areOperandsData = false;
  for (let index = 0; index < args.length; index++) {
    const word = args[index];
    if (word === undefined) break;
    const text = word.value ?? word.prefix;
    if (!isEnded && mayBecomeOption(word)) report.isPure = false;
    if (isEnded || !text.startsWith("-") || text === "-") {
      if (operands.length === 0 || !areOperandsData) operands.push(word);
      continue;
    }
    const values = VALUE_COUNTS.get(text);
    if (text === "--") isEnded = true;
    else if (text === "--args" || text === "--jsonargs") areOperandsData = true;
    else if (values === undefined && !FLAGS.test(text)) report.isPure = false;
    const taken = args.slice(index + 1, index + 1 + (values ?? 0));
    if (taken.some(({ isMultiple }) => isMultiple)) report.isPure = false;
    const file = taken[1];
    if (FILE_OPTIONS.has(text) && file !== undefined) report.reads.push(file);
    index += values ?? 0;
  }
  const [filter, ...files] = operands;
  report.reads.push(...files);
  if (filter !== undefined && (filter.value === undefined || /\b(?:import|include|input_filename|env|ENV|get_search_list|modulemeta)\b/.test(filter.value))) report.isPure = false;
  return report;
}

const FLAGS =
  /^(?:-[cnesrRCMSjahV]+|--(?:compact-output|null-input|exit-status|slurp|raw-output|raw-output0|raw-input|color-output|monochrome-output|sort-keys|join-output|ascii-output|ascii|tab|unbuffered|stream|stream-errors|seq|help|version|args|jsonargs)|--)$/;

const VALUE_COUNTS: ReadonlyMap<string, number> = new Map([
  ["--arg", 2],
  ["--argjson", 2],
  ["--slurpfile", 2],
  ["--rawfile", 2],
  ["--indent", 1],
]);

const FILE_OPTIONS: ReadonlySet<string> = new Set(["--slurpfile", "--rawfile"]);
