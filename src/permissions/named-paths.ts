import { normalize } from "node:path";
import type { ShellCommand, ShellWord } from "../core/shell-command.ts";
import { AppError } from "../core/errors.ts";
import { expandGlob } from "./expand-glob.ts";
import type { PathTarget } from "./match-path.ts";
import { pathTarget } from "./permission-call.ts";
import { placePath } from "./place-path.ts";

/** Looking at a path takes some 10 µs. */
const PATHS_MAX = 2_000;

/** The paths that words of commands name, each looked at once. */
export interface NamedPaths {
  of(words: readonly ShellWord[], command: Pick<ShellCommand, "directories">): readonly PathTarget[];
  /** Whether there were more than are looked at: of those written out, or of those that patterns may mean. */
  readonly hasTooMany: { readonly written: boolean; readonly matching: boolean };
}

/** @param cwd absolute: where the shell starts */
export function createNamedPaths(cwd: string): NamedPaths {
  const targets = new Map<string, PathTarget>();
  const hasTooMany = { written: false, matching: false };

  const lookAt = (path: string, place: string, kind: keyof typeof hasTooMany): readonly PathTarget[] => {
    if (path === "" || path.includes("\0")) return [];
    const absolute = path.startsWith("/") ? path : `${place}/${path}`;
    const known = targets.get(absolute);
    if (known !== undefined) return [known];
    if (targets.size >= PATHS_MAX) {
      hasTooMany[kind] = true;
      return [];
    }
    const target = targetOf(absolute);
    targets.set(absolute, target);
    return [target];
  };

  const pathsOfWord = (word: ShellWord, place: string): readonly PathTarget[] => {
    if (word.value !== undefined) return lookAt(word.value, place, "written");
    if (word.glob === undefined) return [];
    const names = expandGlob(word, place)?.names;
    if (names === undefined) hasTooMany.matching = true;
    // What cannot be listed is at least somewhere in its directory.
    return (names ?? [`${word.glob.directory}*`]).flatMap((path) => lookAt(path, place, "matching"));
  };

  return {
    hasTooMany,
    of: (words, { directories }) => directories.map((directory) => placePath(directory, cwd)).flatMap((place) => words.flatMap((word) => pathsOfWord(word, place))),
  };
}

/** Where a link leads in a circle, the path itself is all that there is. */
function targetOf(absolute: string): PathTarget {
  try {
    return pathTarget(absolute, "/");
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { literal: normalize(absolute), real: normalize(absolute) };
  }
}
