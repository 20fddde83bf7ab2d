import { statSync } from "node:fs";

/** Whether two paths are hard links of one file. False where either does not exist. */
export function isSameFile(one: string, other: string): boolean {
  try {
    const a = statSync(one, { bigint: true });
    const b = statSync(other, { bigint: true });
    return a.nlink > 1n && a.isFile() && a.dev === b.dev && a.ino === b.ino;
  } catch {
    return false;
  }
}
