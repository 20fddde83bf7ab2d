import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { resolveRealPath } from "../../src/platform/resolve-real-path.ts";
import { tempDir } from "../support/temp-dir.ts";
import { appErrorOf } from "../support/thrown.ts";

test("links are followed wherever they stand, and .. starts from where a link led (A67, A109)", () => {
  using dir = tempDir();
  mkdirSync(join(dir.path, "real/inner"), { recursive: true });
  writeFileSync(join(dir.path, "real/settings.json"), "");
  symlinkSync("real/inner", join(dir.path, "linked"));
  symlinkSync("../settings.json", join(dir.path, "real/inner/leaf"));
  const at = (path: string) => resolveRealPath(`${dir.path}/${path}`);
  expect(at("linked/leaf")).toBe(join(dir.path, "real/settings.json"));
  expect(at("linked/../settings.json")).toBe(join(dir.path, "real/settings.json"));
  expect(at("linked/new/file")).toBe(join(dir.path, "real/inner/new/file"));
  expect(at("./real//inner/../settings.json")).toBe(join(dir.path, "real/settings.json"));
});

test("a link that leads nowhere yields where writing through it would write", () => {
  using dir = tempDir();
  symlinkSync("/nowhere/at/all", join(dir.path, "dangling"));
  expect(resolveRealPath(join(dir.path, "dangling"))).toBe("/nowhere/at/all");
});

test("paths through /proc lead to what they show (A67, V-193)", () => {
  using dir = tempDir();
  expect(resolveRealPath(`/proc/self/root${dir.path}/x`)).toBe(join(dir.path, "x"));
  expect(resolveRealPath("/proc/self/cwd/x")).toBe(join(process.cwd(), "x"));
});

test("what exists nowhere, or below a file, or with too long a name, is kept as it is", () => {
  using dir = tempDir();
  writeFileSync(join(dir.path, "file"), "");
  const long = "n".repeat(300);
  for (const rest of ["absent/x", "file/x", long]) expect(resolveRealPath(`${dir.path}/${rest}`)).toBe(`${dir.path}/${rest}`);
});

test("links in a circle, relative paths and NUL are refused", async () => {
  using dir = tempDir();
  symlinkSync("b", join(dir.path, "a"));
  symlinkSync("a", join(dir.path, "b"));
  expect((await appErrorOf(() => resolveRealPath(join(dir.path, "a")))).code).toBe("ELOOP");
  expect((await appErrorOf(() => resolveRealPath("a"))).message).toContain("not absolute");
  expect((await appErrorOf(() => resolveRealPath("/a\0b"))).message).toContain("NUL");
});
