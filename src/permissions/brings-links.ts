import { lstatSync, readdirSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { ShellCommand, ShellWord } from "../core/shell-command.ts";
import { expandGlob } from "./expand-glob.ts";

const ENTRIES_MAX = 1_000;

/**
 * Whether a command may put links where none are now: what commands behind it name there leads elsewhere then. What is
 * moved or copied with all that is in it is looked at.
 *
 * @param sources the words that name it
 * @param places absolute: where the command may run
 */
export function bringsLinks({ words: [program, ...args] }: ShellCommand, sources: readonly ShellWord[], places: readonly string[]): boolean {
  const hasOption = args.some(({ value, prefix }) => (value ?? prefix).startsWith("-"));
  switch (program?.value) {
    case "ln":
      return hasOption || mayHoldLinks(sources, places);
    case "mv":
      return mayHoldLinks(sources, places);
    case "cp":
      // Without an option it copies what is in files.
      return hasOption && mayHoldLinks(sources, places);
    default:
      return false;
  }
}

function mayHoldLinks(sources: readonly ShellWord[], places: readonly string[]): boolean {
  return places.some((place) =>
    sources.some((source) => {
      const paths = source.value === undefined ? expandGlob(source, place)?.names : [source.value];
      return paths === undefined || paths.some((path) => holdsLinks(isAbsolute(path) ? path : `${place}/${path}`));
    }),
  );
}

/** What is not there yet, the commands in front of it make, each of which is looked at itself. */
function holdsLinks(path: string): boolean {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined || !stat.isDirectory()) return stat?.isSymbolicLink() === true;
    const pending = [path];
    let count = 0;
    for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
      for (const entry of readdirSync(directory, { withFileTypes: true })) {
        if (entry.isSymbolicLink() || ++count > ENTRIES_MAX) return true;
        if (entry.isDirectory()) pending.push(`${directory}/${entry.name}`);
      }
    }
    return false;
  } catch {
    return true;
  }
}
