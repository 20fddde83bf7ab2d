import { lstatSync } from "node:fs";

/** When a file was last changed, in milliseconds since the epoch; 0 for one that has vanished. */
export function modifiedTime(path: string): number {
  try {
    return lstatSync(path).mtimeMs;
  } catch {
    return 0;
  }
}
