import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { runRipgrep } from "../../src/platform/ripgrep.ts";
import { tempDir } from "../support/temp-dir.ts";
import { appErrorOf, thrownBy } from "../support/thrown.ts";

/** A search program of ours, to behave badly. */
function program(directory: string, script: string): () => string {
  const path = join(directory, "rg");
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return () => path;
}

const never = new AbortController().signal;

test("a search that takes too long is ended with a clear error", async () => {
  using dir = tempDir();
  const locate = program(dir.path, "exec /bin/sleep 60");
  const error = await appErrorOf(() => runRipgrep({ args: [], cwd: dir.path, signal: never, outputBytesMax: 100, timeoutMs: 50, locate }));
  expect(error.reason).toBe("timeout");
  expect(error.message).toContain("search a smaller directory");
});

test("a search that is stopped in the middle ends with the reason of the signal", async () => {
  using dir = tempDir();
  const stop = new AbortController();
  const running = runRipgrep({ args: [], cwd: dir.path, signal: stop.signal, outputBytesMax: 100, locate: program(dir.path, "exec /bin/sleep 60") });
  stop.abort(new Error("stopped by the user"));
  expect(String(await thrownBy(() => running))).toContain("stopped by the user");
});

test("endless output is cut at the limit and the search ended", async () => {
  using dir = tempDir();
  const result = await runRipgrep({ args: [], cwd: dir.path, signal: never, outputBytesMax: 1_000, locate: program(dir.path, "exec /usr/bin/yes") });
  expect(result.output).toHaveLength(1_000);
  expect(result.isTruncated).toBe(true);
});

test("the environment is empty", async () => {
  using dir = tempDir();
  const result = await runRipgrep({ args: [], cwd: dir.path, signal: never, outputBytesMax: 1_000, locate: program(dir.path, "exec /usr/bin/env") });
  expect(result.output).not.toMatch(/^(?:HOME|PATH|RIPGREP_CONFIG_PATH|ANTHROPIC_API_KEY)=/m);
});
