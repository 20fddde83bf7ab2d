import { statSync } from "node:fs";
import { fileError } from "./file-error.ts";

/** Whether a path is a directory. Throws an `AppError` when nothing is there or it cannot be looked at. */
export function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    throw fileError("Cannot search", path, error);
  }
}
