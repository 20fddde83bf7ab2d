import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { isInside } from "../lib/is-inside.ts";

/**
 * Whether git, started in a directory, would take a repository for its own that lies inside a working directory, be it
 * only a folder that looks like one: files from anywhere may have been put there, and its configuration names programs.
 */
export function isNestedRepository(place: string, directories: readonly string[]): boolean {
  for (let path = place; directories.some((directory) => isInside(path, directory) && path !== directory); path = dirname(path)) {
    if (existsSync(join(path, ".git")) || (existsSync(join(path, "HEAD")) && existsSync(join(path, "objects")))) return true;
  }
  return false;
}
