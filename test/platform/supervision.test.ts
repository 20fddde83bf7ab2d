import { expect, test } from "bun:test";
import { join } from "node:path";
import { readSources } from "../support/source-tree.ts";

test("adopted zombies are collected, none of the runtime's own children is taken from it, and what sheds every trace ends too (A25)", async () => {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "../fixtures/adopt-orphans.ts"), "100"], { stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  expect([await child.exited, stderr]).toEqual([0, ""]);
  const { codes, ...rest } = JSON.parse(stdout);
  expect(codes).toEqual(Array.from({ length: 100 }, (_, index) => index % 50));
  // The watchdog alone is left until the run lets go.
  expect(rest).toEqual({ zombies: 0, left: [], after: 1, problems: [] });
});

test("programs are started in few places, so that a run knows all its children", () => {
  const places = readSources(["src"]).filter(({ text }) => /\bBun\.spawn(Sync)?\(|\bchild_process\b/.test(text));
  expect(places.map(({ path }) => path)).toEqual([
    "src/platform/end-process-trees-windows.ts",
    // Where there is no /proc.
    "src/platform/git.ts",
    "src/platform/process-identity.ts",
    "src/platform/ripgrep.ts",
    // A launcher owns no run.
    "src/platform/spawn-detached-self.ts",
    "src/platform/spawn-piped.ts",
    "src/platform/spawn-shell.ts",
    "src/platform/watchdog.ts",
  ]);
  const unsupervised = readSources(["src"]).flatMap(({ path, text }) =>
    [...text.matchAll(/\b(?:runRipgrep|spawnShell|spawnPiped)\(\{[^}]*\}/g)].filter(([call]) => !call.includes("supervise:")).map(() => path),
  );
  expect(unsupervised).toEqual([]);
});
