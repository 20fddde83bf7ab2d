import { readdirSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { ShellWord } from "../core/shell-command.ts";
import { systemErrorCode } from "../core/errors.ts";

const NAMES_MAX = 2_000;

/**
 * Every path that a pattern for file names may come to: all names in its directory, which is more than the shell may
 * find but never less, and the pattern itself, which is what a program gets where nothing matches. Undefined where the word is no such pattern, or the directory holds too many names to look at.
 *
 * @param place the directory in which the shell is, absolute
 */
export function expandGlob({ glob }: ShellWord, place: string): { readonly names: readonly string[] } | undefined {
  if (glob === undefined) return undefined;
  // Not joined: behind a link, `..` leads elsewhere.
  const directory = isAbsolute(glob.directory) ? glob.directory : `${place}/${glob.directory}`;
  const names = namesIn(directory)?.filter((name) => glob.isForHidden || !name.startsWith("."));
  return names === undefined || names.length > NAMES_MAX ? undefined : { names: [...names, "*"].map((name) => `${directory}${name}`) };
}

/** A directory that is not there has no names: the shell passes the pattern on as it stands. */
function namesIn(directory: string): readonly string[] | undefined {
  try {
    return readdirSync(directory);
  } catch (error) {
    return systemErrorCode(error) === "ENOENT" ? [] : undefined;
  }
}
