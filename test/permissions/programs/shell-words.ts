import type { ShellWord } from "../../../src/core/shell-command.ts";
import { describeProgram } from "../../../src/permissions/programs/describe-program.ts";

/**
 * Words for tests: separated by spaces, or in single quotes. `$x` in one is computed and may be anything, `$@` may be several
 * words, and a word with an asterisk is a glob unless it is quoted.
 */
export function shellWords(text: string): readonly ShellWord[] {
  return Array.from(text.matchAll(/(?:'[^']*'|[^\s'])+/g), ([word]) => {
    const isQuoted = word.includes("'");
    const value = word.replaceAll("'", "");
    const computed = isQuoted ? -1 : value.search(/[$*]/);
    if (computed === -1) return { value, prefix: value, isMultiple: false };
    const prefix = value.slice(0, computed);
    if (value[computed] === "$") return { prefix, isMultiple: value[computed + 1] === "@" };
    return { prefix, isMultiple: true, glob: { directory: prefix.slice(0, prefix.lastIndexOf("/") + 1), isForHidden: false } };
  });
}

export function describeText(text: string) {
  const [program, ...args] = shellWords(text);
  return describeProgram(program?.value ?? "", args);
}

/** `pure`, `rule`, `danger@1`, or `unknown`. */
export function judge(text: string): string {
  const report = describeText(text);
  if (report === undefined) return "unknown";
  if (report.danger !== undefined) return `danger@${report.danger.index}`;
  return report.isPure ? "pure" : "rule";
}

export const spelled = (words: readonly ShellWord[] | undefined): readonly string[] => (words ?? []).map(({ value, prefix }) => value ?? `${prefix}…`);
