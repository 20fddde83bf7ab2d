import { lstatSync, readdirSync } from "node:fs";
import { systemErrorCode } from "../core/errors.ts";

/**
 * The bytes of a file, or of all files below a directory. Links count as what they are and are not followed; what goes
 * while it is counted does not count. Throws the system's error.
 */
export function treeSize(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (!stat.isDirectory()) return stat.size;
  return namesIn(path).reduce((total, name) => total + treeSize(`${path}/${name}`), 0);
}

function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return [];
    throw error;
  }
}
