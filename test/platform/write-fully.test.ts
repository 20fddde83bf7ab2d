import { expect, test } from "bun:test";
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { systemErrorCode } from "../../src/core/errors.ts";
import { writeFully, type WriteSync } from "../../src/platform/write-fully.ts";
import { tempDir } from "../support/temp-dir.ts";
import { thrownBy } from "../support/thrown.ts";

function failing(code: string): never {
  throw Object.assign(new Error(code), { code });
}

function writtenWith(write: WriteSync, text: string): string {
  using dir = tempDir();
  const path = join(dir.path, "file");
  const fd = openSync(path, "wx");
  try {
    writeFully(fd, Buffer.from(text), write);
  } finally {
    closeSync(fd);
  }
  return readFileSync(path, "utf8");
}

test("a system that takes two bytes at a time gets all of them in order (V-220)", () => {
  const twoAtATime: WriteSync = (fd, bytes, offset, length) => writeSync(fd, bytes, offset, Math.min(2, length));
  expect(writtenWith(twoAtATime, "a line of text\n")).toBe("a line of text\n");
});

test("interrupted and full are tried again", () => {
  const outcomes = ["EINTR", "EAGAIN", "EINTR", undefined, "EAGAIN"];
  const sometimes: WriteSync = (fd, bytes, offset, length) => {
    const code = outcomes.shift();
    return code === undefined ? writeSync(fd, bytes, offset, Math.min(4, length)) : failing(code);
  };
  expect(writtenWith(sometimes, "a line of text\n")).toBe("a line of text\n");
  expect(outcomes).toEqual([]);
});

test.each(["ENOSPC", "EIO", "EFBIG", "EDQUOT", "EPIPE"])("%s is final", async (code) => {
  let calls = 0;
  const broken: WriteSync = () => {
    calls++;
    return failing(code);
  };
  expect(systemErrorCode(await thrownBy(() => writeFully(1, Buffer.from("x"), broken)))).toBe(code);
  expect(calls).toBe(1);
});

test("a descriptor that takes nothing is given up after a second", async () => {
  expect(systemErrorCode(await thrownBy(() => writeFully(1, Buffer.from("x"), () => failing("EAGAIN"))))).toBe("EAGAIN");
  expect(() => writeFully(1, Buffer.from("x"), () => 0)).toThrow("takes no bytes");
});

test("no bytes are no call", () => {
  expect(() => writeFully(1, new Uint8Array(), () => failing("EIO"))).not.toThrow();
});
