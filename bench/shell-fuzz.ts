import { runShellFuzz } from "../test/support/shell-fuzz/run-shell-fuzz.ts";
import type { Measurement } from "./measurement.ts";

const TEXTS = 200_000;
const VIOLATIONS_SHOWN_MAX = 20;

/** Random shell texts, of each of which a shell shows whether what the permission layer says is true. */
export const shellFuzz: Measurement = async ({ amount = TEXTS }) => {
  const seed = Math.floor(Math.random() * 1_000_000_000);
  const { texts, ran, late, opaque, allowed, denied, violations } = await runShellFuzz({ seed, count: amount, shells: 2 });
  const share = (count: number) => `${((100 * count) / texts).toFixed(1)} %`;
  const shown = violations.slice(0, VIOLATIONS_SHOWN_MAX).map((violation) => `\n     ${violation}`);
  return [
    {
      what: `of ${texts} shell texts, those that did what was not said of them`,
      value: violations.length,
      atMost: 0,
      digits: 0,
      note: `seed ${seed}, ${share(ran)} ran, ${share(opaque)} opaque, ${share(allowed)} allowed, ${share(denied)} denied, ${late} not in time${shown.join("")}`,
    },
  ];
};
