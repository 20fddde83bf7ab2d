import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { redirectDescriptor } from "../../src/platform/redirect-output.ts";
import { tempDir } from "../support/temp-dir.ts";

test("what is written to a redirected descriptor, by children too, goes to the file", async () => {
  using dir = tempDir();
  const log = join(dir.path, "log");
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "../fixtures/redirect-stderr.ts"), log], { stderr: "pipe" });
  expect(await child.stderr.text()).toBe("before\n");
  expect(await child.exited).toBe(0);
  expect(readFileSync(log, "utf8")).toBe("after\nchild\n");
});

test("a descriptor that is not open is refused", () => {
  expect(() => redirectDescriptor(99_999, 99_998)).toThrow("Cannot redirect descriptor 99998 to 99999");
});
