import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppError, errorMessage } from "../core/errors.ts";

/** A private folder that goes away with all that is in it. */
export interface TemporaryDirectory {
  readonly path: string;
  remove(): void;
}

/** Makes a folder with mode 0700 below `TMPDIR`. Throws an `AppError` of reason `storage` where that is not possible. */
export function makeTemporaryDirectory(): TemporaryDirectory {
  try {
    const path = mkdtempSync(join(realpathSync(tmpdir()), "agent-"));
    return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
  } catch (error) {
    throw new AppError("storage", `Cannot make a temporary folder in "${tmpdir()}": ${errorMessage(error)}; set TMPDIR to another one`, { cause: error });
  }
}
