import { describe, expect, test } from "bun:test";
import { AppError } from "../../src/core/errors.ts";
import { createStorageRetry, type StorageRetryOptions } from "../../src/store/storage-retry.ts";
import { appErrorOf, thrownBy } from "../support/thrown.ts";

function failure(code: string): AppError {
  return new AppError("storage", `Cannot write: ${code}`, { code });
}

/** A retry whose clock runs by its own sleeping alone, and what it told. */
function testRetry(options: Partial<StorageRetryOptions> = {}) {
  const told: string[] = [];
  let now = 0;
  const retry = createStorageRetry({
    limitMs: 30_000,
    onFull: () => told.push("full"),
    onWait: ({ code }) => told.push(`wait ${code}`),
    onGiveUp: ({ code }) => told.push(`give up ${code}`),
    world: {
      now: () => now,
      async sleep(milliseconds) {
        now += milliseconds;
      },
    },
    ...options,
  });
  return { retry, told, now: () => now, pass: (milliseconds: number) => void (now += milliseconds) };
}

/** Fails so many times, then gives its value. */
function failing(times: number, code = "ENOSPC"): () => string {
  let calls = 0;
  return () => {
    if (calls++ < times) throw failure(code);
    return "done";
  };
}

test("what works is done once, at once", async () => {
  const { retry, told, now } = testRetry();
  expect([await retry.run(() => "value"), await retry.run(async () => "later")]).toEqual(["value", "later"]);
  expect([told, now()]).toEqual([[], 0]);
});

test("a full disk gets its ballast back and is tried again until there is room", async () => {
  const { retry, told, now } = testRetry();
  expect(await retry.run(failing(3))).toBe("done");
  expect(told.filter((each) => each === "full")).toHaveLength(3);
  expect(told.filter((each) => each.startsWith("wait"))).toEqual(["wait ENOSPC"]);
  expect(now()).toBeLessThan(100);
});

test("after the limit the error comes through, once told", async () => {
  const { retry, told, now } = testRetry();
  expect((await appErrorOf(() => retry.run(failing(Number.POSITIVE_INFINITY, "EIO")))).code).toBe("EIO");
  expect(now()).toBeGreaterThanOrEqual(30_000);
  expect(now()).toBeLessThan(31_000);
  expect(told).toEqual(["wait EIO", "give up EIO"]);
});

test("the limit holds also where it is shorter than the time between two attempts", async () => {
  const { retry, told, now } = testRetry({ limitMs: 20 });
  await appErrorOf(() => retry.run(failing(Number.POSITIVE_INFINITY, "EIO")));
  expect([told, now() < 100]).toEqual([["wait EIO", "give up EIO"], true]);
});

test("all that waits at once waits for one limit together, and what comes right after it does not wait again", async () => {
  const { retry, told, now } = testRetry();
  const never = () => failing(Number.POSITIVE_INFINITY);
  await Promise.allSettled([retry.run(never()), retry.run(never()), retry.run(never())]);
  const after = now();
  await appErrorOf(() => retry.run(never()));
  expect(now()).toBe(after);
  expect(told.filter((each) => each !== "full")).toEqual(["wait ENOSPC", "give up ENOSPC"]);
});

test("a disk that works again, or failed long ago, gets the whole time anew", async () => {
  const { retry, now, pass } = testRetry();
  await appErrorOf(() => retry.run(failing(Number.POSITIVE_INFINITY)));
  expect(await retry.run(() => "works")).toBe("works");
  expect(await retry.run(failing(5))).toBe("done");
  await appErrorOf(() => retry.run(failing(Number.POSITIVE_INFINITY)));
  pass(60_000);
  const before = now();
  expect(await retry.run(failing(5))).toBe("done");
  expect(now()).toBeGreaterThan(before);
});

describe("tried again is", () => {
  test.each(["ENOSPC", "EDQUOT", "EFBIG", "EIO", "EMFILE", "EROFS", "EACCES", "ENOENT", "SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_READONLY", "SQLITE_CANTOPEN"])("%s", async (code) => {
    expect(await testRetry().retry.run(failing(2, code))).toBe("done");
  });

  test.each(["not_synced", "removed", "SQLITE_IOERR_FSYNC", "SQLITE_IOERR_DIR_FSYNC", "SQLITE_CORRUPT", "SQLITE_NOTADB", "unusable_file"])("not %s: it does not pass, or nobody knows what is on disk", async (code) => {
    const { retry, told } = testRetry();
    expect((await appErrorOf(() => retry.run(failing(1, code)))).code).toBe(code);
    expect(told).toEqual([]);
  });

  test("nothing that is no failure of the disk", async () => {
    const conflict = new AppError("conflict", "It is taken", { code: "ENOSPC" });
    const defect = new TypeError("a defect");
    const { retry } = testRetry();
    for (const error of [conflict, defect]) {
      expect(
        await thrownBy(() =>
          retry.run(() => {
            throw error;
          }),
        ),
      ).toBe(error);
    }
  });
});
