import { relative } from "node:path";
import { isInside } from "../lib/is-inside.ts";

/** A path as results show it: relative to the working directory inside it, absolute elsewhere, on one line. */
export function displayPath(path: string, cwd: string): string {
  const shown = isInside(path, cwd) ? relative(cwd, path) || "." : path;
  // oxlint-disable-next-line no-control-regex -- a name may hold them
  return shown.replace(/[\u0000-\u001f\u007f]/g, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`);
}
