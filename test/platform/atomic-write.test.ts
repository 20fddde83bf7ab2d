import { expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemErrorCode } from "../../src/core/errors.ts";
import { writeAtomically } from "../../src/platform/atomic-write.ts";
import { openPinnedDirectory } from "../../src/platform/pinned-directory.ts";
import { tempDir } from "../support/temp-dir.ts";
import { thrownBy } from "../support/thrown.ts";

test("the content is created and replaced, and nothing else is left", () => {
  using dir = tempDir();
  const directory = openPinnedDirectory(dir.path, { create: false });
  writeAtomically(directory, "file", "one");
  writeAtomically(directory, "file", Buffer.from("two"));
  expect(readFileSync(join(dir.path, "file"), "utf8")).toBe("two");
  expect(statSync(join(dir.path, "file")).mode & 0o777).toBe(0o600);
  expect(readdirSync(dir.path)).toEqual(["file"]);
  directory.close();
});

test("a full disk leaves the old content and no half of the new one", async () => {
  using dir = tempDir();
  const directory = openPinnedDirectory(dir.path, { create: false });
  writeAtomically(directory, "file", "old");
  const full = () => {
    throw Object.assign(new Error("full"), { code: "ENOSPC" });
  };
  const error = await thrownBy(() => writeAtomically(directory, "file", "new", { write: full }));
  expect(systemErrorCode(error)).toBe("ENOSPC");
  expect(readFileSync(join(dir.path, "file"), "utf8")).toBe("old");
  expect(readdirSync(dir.path)).toEqual(["file"]);
  directory.close();
});

test("a link in the way is replaced, and its target keeps its content", () => {
  using dir = tempDir();
  writeFileSync(join(dir.path, "victim"), "precious");
  symlinkSync(join(dir.path, "victim"), join(dir.path, "file"));
  const directory = openPinnedDirectory(dir.path, { create: false });
  writeAtomically(directory, "file", "new");
  expect(readFileSync(join(dir.path, "victim"), "utf8")).toBe("precious");
  expect(readFileSync(join(dir.path, "file"), "utf8")).toBe("new");
  directory.close();
});
