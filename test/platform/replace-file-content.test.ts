import { expect, test } from "bun:test";
import { chmodSync, existsSync, fchmodSync, mkdirSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createFile } from "../../src/platform/create-file.ts";
import { openRealPath } from "../../src/platform/open-real-path.ts";
import { replaceFileContent, type WriteAt } from "../../src/platform/replace-file-content.ts";
import { tempDir } from "../support/temp-dir.ts";
import { appErrorOf } from "../support/thrown.ts";

/** A disk on which so many bytes fit; each write takes three at most. */
function fullAfter(bytes: number): WriteAt {
  let left = bytes;
  return (fd, buffer, offset, length, position) => {
    const count = Math.min(3, length, left);
    if (count === 0) throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
    left -= count;
    return writeSync(fd, buffer, offset, count, position);
  };
}

test.each([0, 2, 5, 9, 14])("a disk that is full after %d bytes leaves the old content whole", async (bytes) => {
  using dir = tempDir();
  const path = join(dir.path, "file");
  writeFileSync(path, "old content");
  const params = { path, expected: Buffer.from("old content"), next: Buffer.from("new and longer content") };
  const error = await appErrorOf(() => replaceFileContent({ ...params, write: fullAfter(bytes) }));
  expect(error.message).toContain("the disk is full");
  expect(readFileSync(path, "utf8")).toBe("old content");
});

test.each(["shorter", "the same!!!", "longer than it was before", ""])("content becomes %p however few bytes a write takes", (next) => {
  using dir = tempDir();
  const path = join(dir.path, "file");
  writeFileSync(path, "old content");
  replaceFileContent({ path, expected: Buffer.from("old content"), next: Buffer.from(next), write: fullAfter(1_000) });
  expect(readFileSync(path, "utf8")).toBe(next);
});

test.each(["old contenT", "old", "old content and more"])("a file that holds %p by now is not touched (A110)", async (found) => {
  using dir = tempDir();
  const path = join(dir.path, "file");
  writeFileSync(path, found);
  const error = await appErrorOf(() => replaceFileContent({ path, expected: Buffer.from("old content"), next: Buffer.from("x") }));
  expect(error.reason).toBe("conflict");
  expect(readFileSync(path, "utf8")).toBe(found);
});

test("a file that could not be written to its end is not left behind", async () => {
  using dir = tempDir();
  const path = join(dir.path, "new/file");
  const write = (): number => {
    throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
  };
  expect((await appErrorOf(() => createFile({ path, bytes: Buffer.from("x"), write }))).message).toContain("the disk is full");
  expect(existsSync(path)).toBe(false);
});

test("a directory that became a link after the decision is noticed when the file is opened (A67, V-192)", async () => {
  using dir = tempDir();
  using outside = tempDir();
  writeFileSync(join(outside.path, "file"), "outside");
  mkdirSync(join(dir.path, "d"));
  writeFileSync(join(dir.path, "d/file"), "inside");
  renameSync(join(dir.path, "d"), join(dir.path, "moved"));
  symlinkSync(outside.path, join(dir.path, "d"));
  const path = join(dir.path, "d/file");
  const error = await appErrorOf(() => openRealPath(path, 0, { action: "Cannot read" }));
  expect(error.message).toContain("replaced by a link");
  await appErrorOf(() => replaceFileContent({ path, expected: Buffer.from("outside"), next: Buffer.from("x") }));
  await appErrorOf(() => createFile({ path: join(dir.path, "d/new"), bytes: Buffer.from("x") }));
  expect(readFileSync(join(outside.path, "file"), "utf8")).toBe("outside");
  expect(existsSync(join(outside.path, "new"))).toBe(false);
});

test("a mode that the system takes bits from while writing is put back (A108)", () => {
  using dir = tempDir();
  const path = join(dir.path, "file");
  writeFileSync(path, "old");
  chmodSync(path, 0o4755);
  const write: WriteAt = (fd, ...rest) => {
    fchmodSync(fd, 0o755);
    return writeSync(fd, ...rest);
  };
  replaceFileContent({ path, expected: Buffer.from("old"), next: Buffer.from("new"), write });
  expect(statSync(path).mode & 0o7777).toBe(0o4755);
});
