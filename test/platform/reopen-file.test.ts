import { expect, spyOn, test } from "bun:test";
import { closeSync, linkSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { systemErrorCode } from "../../src/core/errors.ts";
import { openPinnedDirectory } from "../../src/platform/pinned-directory.ts";
import { reopenFile } from "../../src/platform/reopen-file.ts";
import { tempDir } from "../support/temp-dir.ts";
import { appErrorOf, thrownBy } from "../support/thrown.ts";

test("a file of ours takes appended bytes", () => {
  using dir = tempDir();
  const directory = openPinnedDirectory(dir.path, { create: false });
  writeFileSync(join(dir.path, "file"), "one ");
  const fd = reopenFile(directory, "file", "append");
  writeSync(fd, "two");
  expect(readFileSync(join(dir.path, "file"), "utf8")).toBe("one two");
  closeSync(fd);
  directory.close();
});

test("a missing file is ENOENT and is not created", async () => {
  using dir = tempDir();
  const directory = openPinnedDirectory(dir.path, { create: false });
  expect(systemErrorCode(await thrownBy(() => reopenFile(directory, "none", "append")))).toBe("ENOENT");
  expect(readdirSync(dir.path)).toEqual([]);
  directory.close();
});

const PLANTED: readonly [string, RegExp, (path: string, victim: string) => void][] = [
  ["a link", /it is a link/, (path, victim) => symlinkSync(victim, path)],
  ["a second name of a file (V-205)", /2 names/, (path, victim) => linkSync(victim, path)],
  ["a pipe", /not a regular file/, (path) => expect(Bun.spawnSync(["mkfifo", path]).success).toBe(true)],
  ["a directory", /directory|not a regular file/, (path) => mkdirSync(path)],
];

test.each(PLANTED)("%s is refused, for appending and for reading", async (_name, reason, plant) => {
  using dir = tempDir();
  const victim = join(dir.path, "victim");
  writeFileSync(victim, "precious");
  plant(join(dir.path, "planted"), victim);
  const directory = openPinnedDirectory(dir.path, { create: false });
  const before = readdirSync("/proc/self/fd").length;
  for (const access of ["append", "read"] as const) {
    const error = await appErrorOf(() => reopenFile(directory, "planted", access));
    expect(error.reason).toBe("storage");
    expect(error.message).toContain(join(dir.path, "planted"));
    expect(error.message).toMatch(reason);
  }
  expect(readdirSync("/proc/self/fd")).toHaveLength(before);
  expect(readFileSync(victim, "utf8")).toBe("precious");
  directory.close();
});

test("another user's file is refused", async () => {
  using dir = tempDir();
  writeFileSync(join(dir.path, "file"), "");
  const directory = openPinnedDirectory(dir.path, { create: false });
  using user = spyOn(process, "geteuid");
  user.mockReturnValue(statSync(dir.path).uid + 1);
  const error = await appErrorOf(() => reopenFile(directory, "file", "read"));
  expect(error.message).toContain("belongs to user");
  directory.close();
});
