import { expect, test } from "bun:test";
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { allowsPath, mayMeanPath } from "../../src/permissions/match-path.ts";
import { tempDir } from "../support/temp-dir.ts";

const base = { cwd: "/w/proj", home: "/home/u" };
const at = (path: string) => ({ literal: path, real: path });

test.each([
  ["src/**", "/w/proj/src/a/b.ts", true],
  ["./src/*.ts", "/w/proj/src/b.ts", true],
  ["src/*.ts", "/w/proj/src/a/b.ts", false],
  ["*.ts", "/w/proj/a.ts", true],
  ["*.ts", "/w/proj/a/b.ts", false],
  ["**/*.ts", "/w/proj/a/b.ts", true],
  ["src", "/w/proj/src/a", true],
  ["src", "/w/proj/srcs", false],
  ["*", "/w/proj/dir/a", false],
  ["//etc/*", "/etc/hosts", true],
  ["/etc/hosts", "/etc/hosts", true],
  ["/a/b", "/a/bc", false],
  ["/a/b", "/a/b/c", true],
  ["~/x/**", "/home/u/x/y", true],
  ["../other/**", "/w/other/x", true],
  ["src/**", "/w/proj-evil/src/a", false],
  ["SRC/**", "/w/proj/src/a", false],
  ["**", "/w/proj/.hidden/x", true],
])("an allow rule for %p and the path %p: %p (A67)", (spec, path, expected) => {
  expect(allowsPath(spec, at(path), base)).toBe(expected);
});

test("an allow rule needs the path as named and the real one", () => {
  expect(allowsPath("src/**", { literal: "/w/proj/src/a", real: "/etc/a" }, base)).toBe(false);
  expect(allowsPath("src/**", { literal: "/w/proj/link/a", real: "/w/proj/src/a" }, base)).toBe(false);
});

test.each([
  ["./.env", { literal: "/w/proj/.env", real: "/w/proj/other" }],
  ["./.env", { literal: "/w/proj/alias", real: "/w/proj/.env" }],
  ["./.env", at("/w/proj/.ENV")],
  ["./.env", at("/w/proj/.env/child")],
  ["**/*.PEM", at("/w/proj/a/key.pem")],
  ["*.d", at("/w/proj/x.d/deep/file")],
  ["caf\u00e9", at("/w/proj/cafe\u0301")],
  [".git/**", at("/w/proj/.g\u200cit/config")],
])("a deny rule for %p also means %j (A67, V-193)", (spec, target) => {
  expect(mayMeanPath(spec, target, base)).toBe(true);
});

test("a deny rule means nothing beside its path", () => {
  for (const path of ["/w/proj/.envrc", "/w/.env", "/w/proj/sub/.env"]) expect(mayMeanPath("./.env", at(path), base)).toBe(false);
});

test("a deny rule sees through hard links, and through a link in its own path (V-193)", () => {
  using dir = tempDir();
  const place = { cwd: dir.path };
  writeFileSync(join(dir.path, ".env"), "");
  linkSync(join(dir.path, ".env"), join(dir.path, "hard"));
  mkdirSync(join(dir.path, "real"));
  symlinkSync("real", join(dir.path, "link"));
  expect(mayMeanPath(".env", at(join(dir.path, "hard")), place)).toBe(true);
  expect(mayMeanPath("link/**", at(join(dir.path, "real/x")), place)).toBe(true);
});
