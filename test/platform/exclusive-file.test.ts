import { expect, test } from "bun:test";
import { closeSync, linkSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { systemErrorCode } from "../../src/core/errors.ts";
import { openExclusiveFile } from "../../src/platform/exclusive-file.ts";
import { openPinnedDirectory } from "../../src/platform/pinned-directory.ts";
import { tempDir } from "../support/temp-dir.ts";
import { thrownBy } from "../support/thrown.ts";

test("a new file takes appended bytes and is ours alone", () => {
  using dir = tempDir();
  const directory = openPinnedDirectory(dir.path, { create: false });
  const fd = openExclusiveFile(directory, "new");
  writeSync(fd, "one ");
  writeSync(fd, "two", 0);
  expect(readFileSync(join(dir.path, "new"), "utf8")).toBe("one two");
  expect(statSync(join(dir.path, "new")).mode & 0o777).toBe(0o600);
  closeSync(fd);
  directory.close();
});

const PLANTED: readonly [string, (path: string, victim: string) => void][] = [
  ["a link to a file", (path, victim) => symlinkSync(victim, path)],
  ["a dangling link", (path, victim) => symlinkSync(`${victim}.missing`, path)],
  ["a second name of a file", (path, victim) => linkSync(victim, path)],
  ["a pipe", (path) => expect(Bun.spawnSync(["mkfifo", path]).success).toBe(true)],
  ["a directory", (path) => mkdirSync(path)],
  ["a file", (path) => writeFileSync(path, "")],
];

test.each(PLANTED)("%s in the way is EEXIST, and nothing behind it changes (V-204, V-205)", async (_name, plant) => {
  using dir = tempDir();
  const victim = join(dir.path, "victim");
  writeFileSync(victim, "precious");
  const before = statSync(victim);
  plant(join(dir.path, "planted"), victim);
  const directory = openPinnedDirectory(dir.path, { create: false });
  expect(systemErrorCode(await thrownBy(() => openExclusiveFile(directory, "planted")))).toBe("EEXIST");
  expect(readFileSync(victim, "utf8")).toBe("precious");
  expect(statSync(victim).mtimeMs).toBe(before.mtimeMs);
  expect(statSync(`${victim}.missing`, { throwIfNoEntry: false })).toBeUndefined();
  directory.close();
});
