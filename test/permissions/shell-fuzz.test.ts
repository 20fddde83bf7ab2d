import { expect, test } from "bun:test";
import { runShellFuzz } from "../support/shell-fuzz/run-shell-fuzz.ts";

const TEXTS = 5_000;
const SEED = 20_260;
const UNTIL_MS = 25_000;

test(
  "what a shell does with random texts was reported of them, unless it was said to be unknown, and was neither denied nor beyond what was allowed",
  async () => {
    const counts = await runShellFuzz({ seed: SEED, count: TEXTS, shells: 2, untilMs: UNTIL_MS });
    expect(counts.violations).toEqual([]);
    // Otherwise it would be easy.
    expect(counts.ran).toBeGreaterThan(counts.texts / 5);
    expect(counts.allowed).toBeGreaterThan(counts.texts / 50);
    expect(counts.late).toBeLessThan(counts.texts / 100);
  },
  60_000,
);
