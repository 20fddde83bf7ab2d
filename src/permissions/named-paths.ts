import { normalize } from "node:path";
import type { ShellCommand, ShellWord } from "../core/shell-command.ts";
import { AppError } from "../core/errors.ts";
import { expandGlob } from "./expand-glob.ts";
import type { PathTarget } from "./match-path.ts";
import { pathTarget } from "./permission-call.ts";
import { placePath } from "./place-path.ts";

/** Looking at a path takes some 10 µs. */
const PATHS_MAX = 2_000;
const LOOKS_MAX = 50_000;

/** The paths that words of commands name, each looked at once. */
export interface NamedPaths {
  of(words: readonly ShellWord[], command: Pick<ShellCommand, "directories">): readonly PathTarget[];
  /** Whether there were more than are looked at: of those written out, or of those that patterns may mean. */
  readonly hasTooMany: { readonly written: boolean; readonly matching: boolean };
}

/** @param cwd absolute: where the shell starts */
export function createNamedPaths(cwd: string): NamedPaths {
  const targets = new Map<string, PathTarget>();
  const listings = new Map<string, readonly string[] | undefined>();
  let looks = 0;
  const hasTooMany = { written: false, matching: false };

  const lookAt = (path: string, place: string, kind: keyof typeof hasTooMany): readonly PathTarget[] => {
    if (path === "" || path.includes("\0")) return [];
    if (++looks > LOOKS_MAX) {
      hasTooMany[kind] = true;
      return [];
    }
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
    const key = `${place}\0${word.glob.directory}\0${word.glob.isForHidden}`;
    if (!listings.has(key)) listings.set(key, expandGlob(word, place)?.names);
    const names = listings.get(key);
    if (names === undefined) hasTooMany.matching = true;
    // What cannot be listed is at least somewhere in its directory.
    return (names ?? [`${word.glob.directory}*`]).flatMap((path) => lookAt(path, place, "matching"));
  };

  return {
    hasTooMany,
    of: (words, { directories }) => directories.map((directory) => placePath(directory, cwd)).flatMap((place) => distinct(words).flatMap((word) => pathsOfWord(word, place))),
  };
}

/** Of words that mean the same paths, one. */
function distinct(words: readonly ShellWord[]): readonly ShellWord[] {
  const byMeaning = new Map(words.map((word) => [word.value ?? `\0${word.glob?.directory}\0${word.glob?.isForHidden}`, word]));
  return [...byMeaning.values()];
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
