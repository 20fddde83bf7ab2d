import { expect, test } from "bun:test";
import { endProcessTrees } from "../../src/platform/end-process-trees-windows.ts";

const ROOTS = [11, 22, 33].map((pid) => ({ pid, startTime: String(pid), bootId: "boot" }));

/** A machine on which some processes live and `taskkill` ends all but the stubborn. */
function machine(options: { readonly living: readonly number[]; readonly stubborn?: readonly number[] }) {
  const living = new Set(options.living);
  const calls: (readonly string[])[] = [];
  return {
    calls,
    isAlive: ({ pid }: { readonly pid: number }) => living.has(pid),
    async run(argv: readonly string[]) {
      calls.push(argv);
      const pid = Number(argv.at(-1));
      if (options.stubborn?.includes(pid) !== true) living.delete(pid);
    },
  };
}

test("each process that lives is ended with its descendants, by the system's own program", async () => {
  const { calls, ...world } = machine({ living: [11, 33] });
  expect(await endProcessTrees(ROOTS, { ...world, env: { SystemRoot: String.raw`D:\Win`, PATH: String.raw`C:\evil` } })).toEqual([]);
  expect(calls).toEqual([11, 33].map((pid) => [String.raw`D:\Win\System32\taskkill.exe`, "/T", "/F", "/PID", String(pid)]));
});

test("what outlives it is named", async () => {
  expect(await endProcessTrees(ROOTS, { ...machine({ living: [11, 22], stubborn: [22] }), env: {} })).toEqual([22]);
});

test("one that only has the number of a process is left alone", async () => {
  const { calls, ...world } = machine({ living: [] });
  expect(await endProcessTrees(ROOTS, { ...world, env: {} })).toEqual([]);
  expect(calls).toEqual([]);
});
