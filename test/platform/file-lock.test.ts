import { expect, test } from "bun:test";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tryLockFile } from "../../src/platform/file-lock.ts";
import { tempDir } from "../support/temp-dir.ts";
import { appErrorOf } from "../support/thrown.ts";

test("one open file has the lock, until it is closed", () => {
  using dir = tempDir();
  const path = join(dir.path, "lock");
  writeFileSync(path, "");
  const [first, second] = [openSync(path, "r"), openSync(path, "a")];
  expect(tryLockFile(first)).toBe(true);
  expect(tryLockFile(first)).toBe(true);
  expect(tryLockFile(second)).toBe(false);
  closeSync(first);
  expect(tryLockFile(second)).toBe(true);
  closeSync(second);
});

test("a process that is killed gives its lock back", async () => {
  using dir = tempDir();
  const path = join(dir.path, "lock");
  writeFileSync(path, "");
  const holder = Bun.spawn([process.execPath, join(import.meta.dir, "../fixtures/hold-lock.ts"), path], { stdout: "pipe" });
  const { value } = await holder.stdout.getReader().read();
  expect(Buffer.from(value ?? []).toString()).toBe("true\n");
  const fd = openSync(path, "r");
  expect(tryLockFile(fd)).toBe(false);
  holder.kill("SIGKILL");
  await holder.exited;
  expect(tryLockFile(fd)).toBe(true);
  closeSync(fd);
});

test("a descriptor that cannot be locked is an error, not a lock in other hands", async () => {
  const error = await appErrorOf(() => tryLockFile(99_999));
  expect(error.reason).toBe("storage");
  expect(error.code).toBe("lock_failed");
});
