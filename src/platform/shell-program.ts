import { accessSync, constants } from "node:fs";
import { AppError } from "../core/errors.ts";

const CANDIDATES = ["/bin/bash", "/usr/bin/bash", "/bin/sh"] as const;

/**
 * The shell that runs commands: bash where there is one, by absolute path so that `PATH` cannot replace it.
 *
 * Throws an `AppError` where the machine has no shell.
 */
export function shellProgram(isExecutable: (path: string) => boolean = canExecute): string {
  const found = CANDIDATES.find((path) => isExecutable(path));
  if (found === undefined) {
    throw new AppError("failed", `Cannot run a command: none of ${CANDIDATES.join(", ")} can be executed`, { code: "no_shell" });
  }
  return found;
}

function canExecute(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
