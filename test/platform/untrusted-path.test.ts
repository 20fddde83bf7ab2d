import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { untrustedPath, type PathOwnership } from "../../src/platform/untrusted-path.ts";
import { tempDir } from "../support/temp-dir.ts";

const USER = 1_000;

test.each<[string, Record<string, Partial<PathOwnership>>, string | undefined]>([
  ["root and our own folders are trusted", { "/": { uid: 0 } }, undefined],
  ["a file of somebody else", { file: { uid: 1_001 } }, '"$FILE" belongs to user 1001, who is neither root nor us'],
  ["a file that its group may write", { file: { mode: 0o100664 } }, 'others than the owner may write to "$FILE" (mode 0664)'],
  ["a folder that everybody may write", { folder: { mode: 0o40777 } }, 'others than the owner may write to "$FOLDER" (mode 0777)'],
  ["the root folder of somebody else", { "/": { uid: 7 } }, '"/" belongs to user 7, who is neither root nor us'],
])("%s (V-187)", (_title, special, expected) => {
  using dir = tempDir();
  const file = join(dir.path, "config.jsonc");
  writeFileSync(file, "");
  const names = new Map([[file, "file"], [dir.path, "folder"]]);
  const look = (path: string): PathOwnership => ({ uid: USER, mode: path === file ? 0o100644 : 0o40755, ...special[names.get(path) ?? path] });
  expect(untrustedPath(file, { currentUser: () => USER, look })).toBe(expected?.replace("$FILE", file).replace("$FOLDER", dir.path));
});

test("what is really there is looked at, behind a link too", () => {
  using dir = tempDir();
  const folder = join(dir.path, "open");
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  writeFileSync(join(folder, "config.jsonc"), "");
  symlinkSync(join(folder, "config.jsonc"), join(dir.path, "link.jsonc"));
  expect(untrustedPath(join(dir.path, "link.jsonc"))).toBe(`others than the owner may write to "${folder}" (mode 0777)`);
  expect(() => untrustedPath(join(dir.path, "missing"))).toThrow("ENOENT");
});

test("nothing is trusted where the system has no owners", () => {
  expect(untrustedPath("/", { currentUser: () => undefined })).toBe("this system does not tell who may write to it");
});
