import type { Stats } from "node:fs";

/** Why a file cannot be one that we made, as the end of a sentence; undefined when nothing speaks against it. */
export function fileDefect(stat: Stats): string | undefined {
  if (stat.isSymbolicLink()) return "it is a link";
  if (!stat.isFile()) return "it is not a regular file";
  if (stat.nlink !== 1) return `it has ${stat.nlink} names`;
  const user = process.geteuid?.();
  if (user !== undefined && stat.uid !== user) return `it belongs to user ${stat.uid}, and we are user ${user}`;
  return undefined;
}
