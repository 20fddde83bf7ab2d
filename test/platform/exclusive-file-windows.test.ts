import { expect, test } from "bun:test";
import { closeSync, fstatSync, linkSync, lstatSync, openSync, readdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemErrorCode } from "../../src/core/errors.ts";
import { openExclusiveFileWindows, type ExclusiveFileSystem } from "../../src/platform/exclusive-file-windows.ts";
import { tempDir } from "../support/temp-dir.ts";
import { thrownBy } from "../support/thrown.ts";

/** The real calls; `afterOpen` is what somebody does between the opening and the check. */
function fileSystem(afterOpen: () => void = () => undefined): ExclusiveFileSystem {
  return {
    open(path, flags, mode) {
      const fd = openSync(path, flags, mode);
      afterOpen();
      return fd;
    },
    close: closeSync,
    fstat: (fd) => fstatSync(fd, { bigint: true }),
    lstat: (path) => lstatSync(path, { bigint: true }),
  };
}

test("a new file is created and appended to (V-225)", () => {
  using dir = tempDir();
  const fd = openExclusiveFileWindows(join(dir.path, "new"), fileSystem());
  expect(fstatSync(fd).isFile()).toBe(true);
  closeSync(fd);
});

test("whatever exists is EEXIST (V-225)", async () => {
  using dir = tempDir();
  const path = join(dir.path, "planted");
  symlinkSync(join(dir.path, "missing"), path);
  expect(systemErrorCode(await thrownBy(() => openExclusiveFileWindows(path, fileSystem())))).toBe("EEXIST");
  expect(readdirSync(dir.path)).toEqual(["planted"]);
});

const SWAPS: readonly [string, (path: string) => void][] = [
  ["another file", (path) => (renameSync(path, `${path}.away`), writeFileSync(path, ""))],
  ["a link to it", (path) => (renameSync(path, `${path}.away`), symlinkSync(`${path}.away`, path))],
  ["a file with a second name", (path) => linkSync(path, `${path}.second`)],
];

test.each(SWAPS)("a path that has become %s is refused, and the descriptor closed (V-225)", async (_name, swap) => {
  using dir = tempDir();
  const path = join(dir.path, "new");
  const before = readdirSync("/proc/self/fd").length;
  const error = await thrownBy(() => openExclusiveFileWindows(path, fileSystem(() => swap(path))));
  expect(systemErrorCode(error)).toBe("EEXIST");
  expect(readdirSync("/proc/self/fd")).toHaveLength(before);
});

test("it is never the way on a system that can refuse links (V-225)", () => {
  using dir = tempDir();
  expect(() => openExclusiveFileWindows(join(dir.path, "new"))).toThrow("has O_NOFOLLOW");
  expect(readdirSync(dir.path)).toEqual([]);
});
