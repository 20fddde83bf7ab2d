import { basename } from "node:path";
import type { ShellAnalysis, ShellCommand, ShellWord } from "../core/shell-command.ts";
import { expandGlob } from "./expand-glob.ts";
import { placePath } from "./place-path.ts";

/**
 * The same commands, where patterns such as `*.ts` that cannot become an option are written as `./*.ts`: no file in any
 * directory where they may run begins with a dash. Holds only as long as none of the commands makes such a file. Undefined
 * where there is no such pattern.
 *
 * @param cwd absolute: where the shell starts
 */
export function withPlainGlobs(analysis: ShellAnalysis, cwd: string): ShellAnalysis | undefined {
  let hasAny = false;

  function plainWord(word: ShellWord, { directories }: ShellCommand): ShellWord {
    if (word.glob === undefined || word.prefix !== "" || word.glob.directory !== "") return word;
    if (!directories.every((directory) => hasNoDashes(word, placePath(directory, cwd)))) return word;
    hasAny = true;
    return { ...word, prefix: "./" };
  }

  function plainCommands(of: ShellAnalysis): ShellAnalysis {
    return {
      ...of,
      commands: of.commands.map((command) => ({
        ...command,
        words: command.words.map((word, index) => (index === 0 ? word : plainWord(word, command))),
        ...(command.inner === undefined ? {} : { inner: { ...command.inner, analysis: plainCommands(command.inner.analysis) } }),
      })),
    };
  }

  const plain = plainCommands(analysis);
  return hasAny ? plain : undefined;
}

function hasNoDashes(word: ShellWord, place: string): boolean {
  return expandGlob(word, place)?.names.every((path) => !basename(path).startsWith("-")) ?? false;
}
