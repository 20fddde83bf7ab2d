import { isAbsolute, join } from "node:path";
import type { ShellWord } from "../../core/shell-command.ts";

/** In which directories a command may run, when others before it may have changed the directory and may have failed to. */
export interface Places {
  now(): readonly string[];
  /** Notes a `cd` with these words behind it; why it cannot be told where it leads, where that is so. */
  move(args: readonly ShellWord[]): string | undefined;
}

const PLACES_MAX = 8;

export function createPlaces(): Places {
  let places: readonly string[] = ["."];
  return {
    now: () => places,
    move(args) {
      const [target, ...others] = args[0]?.value === "--" ? args.slice(1) : args;
      const to = target?.value;
      if (to === undefined || to === "" || to.startsWith("-") || others.length > 0) return "it cannot be told into which directory it changes";
      const reached = isAbsolute(to) ? [to] : places.flatMap((place) => reachedFrom(place, to));
      const all = [...new Set([...places, ...reached])];
      if (all.length > PLACES_MAX) return "it changes the directory too often";
      places = all;
      return undefined;
    },
  };
}

/**
 * The shell takes `a/..` for the directory in which `a` is, whatever `a` links to; where nothing is there, it goes the way
 * that the system would.
 */
function reachedFrom(place: string, to: string): readonly string[] {
  const joined = join(place, to);
  return /(?:^|\/)[^/]*[^./][^/]*\/+(?:\.\/+)*\.\.(?:\/|$)/.test(`${place}/${to}`) ? [joined, `${place}/${to}`] : [joined];
}
