import { join } from "node:path";
import { openStateDirectory, type StateDirectory } from "../../src/platform/state-directory.ts";
import { tempDir } from "./temp-dir.ts";

/** A fresh state folder, closed and removed at the end of the `using` scope. */
export function testState(): { readonly directory: StateDirectory; readonly path: string; [Symbol.dispose](): void } {
  const parent = tempDir();
  const path = join(parent.path, "state");
  const directory = openStateDirectory({ state: path });
  return {
    directory,
    path,
    [Symbol.dispose]() {
      directory.close();
      parent[Symbol.dispose]();
    },
  };
}
