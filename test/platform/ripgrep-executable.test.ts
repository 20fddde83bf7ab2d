import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createRipgrepLocator } from "../../src/platform/ripgrep-executable.ts";
import { tempDir } from "../support/temp-dir.ts";
import { appErrorOf } from "../support/thrown.ts";

function embeddedIn(directory: string) {
  const program = join(directory, "embedded");
  writeFileSync(program, "#!/bin/sh\necho started\n", { mode: 0o600 });
  const cacheDirectory = join(directory, "home/cache");
  return { program, cacheDirectory, locate: createRipgrepLocator({ program, isStartable: false, cacheDirectory }) };
}

test("a program that cannot be started is copied out once, for its user alone", () => {
  using dir = tempDir();
  const { cacheDirectory, locate } = embeddedIn(dir.path);
  const copy = locate();
  expect(Bun.spawnSync([copy]).stdout.toString()).toBe("started\n");
  expect(statSync(copy).mode & 0o777).toBe(0o700);
  expect(statSync(cacheDirectory).mode & 0o777).toBe(0o700);
  const { ino } = statSync(copy);
  expect(statSync(locate()).ino).toBe(ino);
  expect(readdirSync(cacheDirectory)).toHaveLength(1);
});

test("a copy that was tampered with, replaced by a link or deleted is made anew", () => {
  using dir = tempDir();
  const { program, cacheDirectory, locate } = embeddedIn(dir.path);
  const copy = locate();
  const fresh = () => createRipgrepLocator({ program, isStartable: false, cacheDirectory });
  writeFileSync(copy, "#!/bin/sh\necho evil\n");
  expect(readFileSync(fresh()(), "utf8")).toContain("echo started");
  rmSync(copy);
  symlinkSync("/bin/true", copy);
  expect(readFileSync(fresh()(), "utf8")).toContain("echo started");
  chmodSync(copy, 0o600);
  expect(statSync(fresh()()).mode & 0o100).not.toBe(0);
  rmSync(cacheDirectory, { recursive: true });
  expect(readFileSync(locate(), "utf8")).toContain("echo started");
});

test("a cache directory that others can write to is refused", async () => {
  using dir = tempDir();
  const { cacheDirectory, locate } = embeddedIn(dir.path);
  mkdirSync(cacheDirectory, { recursive: true });
  chmodSync(cacheDirectory, 0o777);
  expect((await appErrorOf(() => locate())).message).toContain(cacheDirectory);
  expect(readdirSync(cacheDirectory)).toEqual([]);
});
