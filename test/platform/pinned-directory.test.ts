import { expect, spyOn, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openPinnedDirectory } from "../../src/platform/pinned-directory.ts";
import { tempDir } from "../support/temp-dir.ts";
import { appErrorOf } from "../support/thrown.ts";

test("a missing directory is created for us alone", () => {
  using dir = tempDir();
  const path = join(dir.path, "new");
  const pinned = openPinnedDirectory(path, { create: true });
  expect(statSync(path).mode & 0o777).toBe(0o700);
  pinned.close();
});

/** Each makes something at the path that must not be used. */
const PLANTED: readonly [string, RegExp, (path: string, elsewhere: string) => void][] = [
  ["a directory that others may write to", /mode is 0777/, (path) => (mkdirSync(path), chmodSync(path, 0o777))],
  ["a directory that others may list", /mode is 0755/, (path) => (mkdirSync(path), chmodSync(path, 0o755))],
  ["a link to a private directory", /link/, (path, elsewhere) => symlinkSync(elsewhere, path)],
  ["a dangling link", /link/, (path) => symlinkSync("/nowhere/at/all", path)],
  ["a file", /no directory/, (path) => writeFileSync(path, "")],
];

test.each(PLANTED)("%s is refused with its path and the reason, and left as it is (V-207)", async (_name, reason, plant) => {
  using dir = tempDir();
  const [path, elsewhere] = [join(dir.path, "planted"), join(dir.path, "elsewhere")];
  mkdirSync(elsewhere, { mode: 0o700 });
  plant(path, elsewhere);
  const before = openDescriptors();
  const error = await appErrorOf(() => openPinnedDirectory(path, { create: true }));
  expect(error.reason).toBe("storage");
  expect(error.message).toContain(path);
  expect(error.message).toMatch(reason);
  expect(openDescriptors()).toBe(before);
  expect(readdirSync(elsewhere)).toEqual([]);
});

test("a private directory of another user is refused with its path and the reason (V-207)", async () => {
  using dir = tempDir();
  const owner = statSync(dir.path).uid;
  using user = spyOn(process, "geteuid");
  user.mockReturnValue(owner + 1);
  const error = await appErrorOf(() => openPinnedDirectory(dir.path, { create: true }));
  expect(error.message).toBe(`Cannot use directory "${dir.path}": it belongs to user ${owner}, and we are user ${owner + 1}`);
});

test("a missing directory is an error where none is to be created", async () => {
  using dir = tempDir();
  const error = await appErrorOf(() => openPinnedDirectory(join(dir.path, "none"), { create: false }));
  expect(error.message).toContain("does not exist");
  expect(readdirSync(dir.path)).toEqual([]);
});

test("entries stay in the directory that was opened when a link takes its place (V-208)", () => {
  using dir = tempDir();
  const [path, moved, attacker] = [join(dir.path, "tasks"), join(dir.path, "moved"), join(dir.path, "attacker")];
  mkdirSync(attacker);
  const pinned = openPinnedDirectory(path, { create: true });
  renameSync(path, moved);
  symlinkSync(attacker, path);
  writeFileSync(pinned.entry("file"), "content");
  pinned.subdirectory("inner", { create: true }).close();
  expect(readdirSync(attacker)).toEqual([]);
  expect(readdirSync(moved).toSorted()).toEqual(["file", "inner"]);
  expect(readFileSync(join(moved, "file"), "utf8")).toBe("content");
  pinned.close();
});

test.each(["", ".", "..", "a/b", "/etc/passwd", "../x", "a\0b"])("%j is no name of an entry (V-213)", (name) => {
  using dir = tempDir();
  const pinned = openPinnedDirectory(dir.path, { create: false });
  expect(() => pinned.entry(name)).toThrow("not the name of an entry");
  expect(() => pinned.subdirectory(name, { create: true })).toThrow("not the name of an entry");
  pinned.close();
});

test("subdirectories are checked as well", async () => {
  using dir = tempDir();
  const pinned = openPinnedDirectory(dir.path, { create: false });
  mkdirSync(join(dir.path, "open"));
  chmodSync(join(dir.path, "open"), 0o777);
  const error = await appErrorOf(() => pinned.subdirectory("open", { create: true }));
  expect(error.message).toContain(join(dir.path, "open"));
  pinned.close();
});

test("closing twice closes once, and entries of a closed directory are out of reach", () => {
  using dir = tempDir();
  const before = openDescriptors();
  const pinned = openPinnedDirectory(dir.path, { create: false });
  pinned.close();
  pinned.close();
  expect(openDescriptors()).toBe(before);
  expect(() => pinned.entry("a")).toThrow("was closed");
});

function openDescriptors(): number {
  return readdirSync("/proc/self/fd").length;
}
