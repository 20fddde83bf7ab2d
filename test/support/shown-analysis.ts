import type { ShellAnalysis, ShellCommand, ShellWord } from "../../src/core/shell-command.ts";

/**
 * An analysis as lines, one for each command, those that a command starts indented below it:
 *
 * - a literal word as it is, in quotes where it is not plain
 * - `<a…>` what begins with `a` and is computed, `<a…*>` none or several of it, `<a…glob>` names of files
 * - `X=…` assignments, `>` and `<` redirections, `<<` input that stands in the text
 * - `@` and the directories in which it may run, where that is not only the first one
 */
export function shownAnalysis({ commands, functions, opaque }: ShellAnalysis, indentation = ""): readonly string[] {
  return [
    ...commands.flatMap((command) => [indentation + shownCommand(command), ...(command.inner === undefined ? [] : shownAnalysis(command.inner.analysis, `${indentation}  `))]),
    ...(functions.size === 0 ? [] : [`${indentation}functions: ${[...functions].join(" ")}`]),
    ...(opaque === undefined ? [] : [`${indentation}opaque: ${opaque}`]),
  ];
}

function shownCommand({ words, assignments, redirections, directories }: ShellCommand): string {
  const isAtStart = directories.length === 1 && directories[0] === ".";
  const parts = [
    ...assignments.map(({ name, value }) => `${name}=${shownWord(value)}`),
    ...words.map(shownWord),
    ...redirections.map((redirection) => (redirection.kind === "input" ? "<<" : `${redirection.kind === "read" ? "<" : ">"}${shownWord(redirection.target)}`)),
    ...(isAtStart ? [] : [`@ ${directories.join(" ")}`]),
  ];
  return parts.length === 0 ? "nothing" : parts.join(" ");
}

function shownWord({ value, prefix, isMultiple, glob }: ShellWord): string {
  if (value !== undefined) return /^[\w./:=@%+,-]+$/.test(value) ? value : JSON.stringify(value);
  return `<${prefix}…${glob === undefined ? (isMultiple ? "*" : "") : "glob"}>`;
}
