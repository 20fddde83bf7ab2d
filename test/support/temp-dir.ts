import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A fresh directory that is removed at the end of the `using` scope. Its path is real: no link in it. */
export function tempDir(prefix = "agent-test-"): { readonly path: string; [Symbol.dispose](): void } {
  const path = mkdtempSync(join(realpathSync(tmpdir()), prefix));
  return {
    path,
    [Symbol.dispose]() {
      rmSync(path, { recursive: true, force: true });
    },
  };
}
