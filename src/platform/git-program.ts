import { accessSync, constants, realpathSync } from "node:fs";
import { AppError } from "../core/errors.ts";

const CANDIDATES = [
  "/usr/bin/git",
  "/usr/local/bin/git",
  "/bin/git",
  "/opt/homebrew/bin/git",
  "/opt/local/bin/git",
  "/run/current-system/sw/bin/git",
  "/nix/var/nix/profiles/default/bin/git",
  "/home/linuxbrew/.linuxbrew/bin/git",
] as const;

/**
 * The real path of git, looked for in fixed places alone: a directory that somebody put into `PATH` cannot replace it.
 *
 * Throws an `AppError` with code `git_missing` where there is none.
 */
export function gitProgram(candidates: readonly string[] = CANDIDATES): string {
  for (const path of candidates) {
    try {
      accessSync(path, constants.X_OK);
      return realpathSync(path);
    } catch {
      // The next one may be there.
    }
  }
  throw new AppError("failed", `There is no git on this machine: none of ${candidates.join(", ")} can be executed`, { code: "git_missing" });
}
