import { expect, test } from "bun:test";
import { lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStateDirectory } from "../../src/platform/state-directory.ts";
import { BALLAST_BYTES, BALLAST_NAME, ensureBallast, releaseBallast } from "../../src/store/ballast.ts";
import { smallDisk } from "../support/small-disk.ts";
import { testState } from "../support/test-state.ts";

test("the ballast takes its room, is ours alone, and is made only where it is missing", () => {
  using state = testState();
  const path = join(state.path, BALLAST_NAME);
  ensureBallast(state.directory.root);
  const made = lstatSync(path);
  expect([made.size, made.mode & 0o777, made.blocks * 512 >= BALLAST_BYTES]).toEqual([BALLAST_BYTES, 0o600, true]);
  ensureBallast(state.directory.root);
  expect(lstatSync(path).ino).toBe(made.ino);
});

test("room for it cannot be compressed away", () => {
  using state = testState();
  ensureBallast(state.directory.root);
  expect(Bun.gzipSync(readFileSync(join(state.path, BALLAST_NAME))).length).toBeGreaterThan(BALLAST_BYTES * 0.99);
});

test("what is not whole is made again, and a link in its place leads nowhere", () => {
  using state = testState();
  const path = join(state.path, BALLAST_NAME);
  writeFileSync(path, "half");
  ensureBallast(state.directory.root);
  expect(lstatSync(path).size).toBe(BALLAST_BYTES);
  releaseBallast(state.directory.root);
  const victim = join(state.path, "victim");
  writeFileSync(victim, "precious");
  symlinkSync(victim, path);
  ensureBallast(state.directory.root);
  expect([lstatSync(path).isFile(), readFileSync(victim, "utf8")]).toEqual([true, "precious"]);
});

test("giving it back twice, or where something else stands, harms nobody", () => {
  using state = testState();
  ensureBallast(state.directory.root);
  releaseBallast(state.directory.root);
  releaseBallast(state.directory.root);
  expect(lstatSync(join(state.path, BALLAST_NAME), { throwIfNoEntry: false })).toBeUndefined();
  mkdirSync(join(state.path, BALLAST_NAME));
  releaseBallast(state.directory.root);
  ensureBallast(state.directory.root);
  expect(lstatSync(join(state.path, BALLAST_NAME)).isDirectory()).toBe(true);
});

test("on a disk with little room there is none", () => {
  using disk = smallDisk({ size: "12m" });
  const state = openStateDirectory({ state: join(disk.path, "state") });
  ensureBallast(state.root);
  expect(lstatSync(join(state.path, BALLAST_NAME), { throwIfNoEntry: false })).toBeUndefined();
  state.close();
});
