import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openCanaryWorld } from "./canary-world.ts";
import { checkText } from "./check-text.ts";
import { generatePlausible } from "./generate-plausible.ts";
import { generateText } from "./generate-text.ts";
import { mutateText } from "./mutate-text.ts";
import { createRandom } from "./random.ts";

export interface FuzzCounts {
  texts: number;
  ran: number;
  late: number;
  opaque: number;
  allowed: number;
  denied: number;
  /** Each with the seed and index that repeat it. */
  readonly violations: string[];
}

const VECTOR_INPUTS: readonly string[] = readFileSync(join(import.meta.dir, "../../fixtures/shell-vectors.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line).input);

/** One of so many texts goes to `sh`, which may be another shell than bash. */
const SH_EVERY = 8;

/** The text of one case. */
export function fuzzedText(seed: number, index: number): string {
  const random = createRandom(seed, index);
  const base = () => random.choose([[5, () => generateText(random)], [2, () => generatePlausible(random)], [3, () => random.pick(VECTOR_INPUTS)]]);
  return random.choose([
    [45, () => generateText(random)],
    [25, () => generatePlausible(random)],
    [30, () => mutateText(random, base(), base())],
  ]);
}

/**
 * Compares what is said of random texts with what a shell does with them.
 *
 * @param options.untilMs no further text is taken after so many milliseconds
 */
export async function runShellFuzz(options: { readonly seed: number; readonly first?: number; readonly count: number; readonly shells: number; readonly untilMs?: number }): Promise<FuzzCounts> {
  const { seed, first = 0, count, shells, untilMs = Number.POSITIVE_INFINITY } = options;
  const counts: FuzzCounts = { texts: 0, ran: 0, late: 0, opaque: 0, allowed: 0, denied: 0, violations: [] };
  const startedAt = performance.now();
  let next = first;
  const work = async () => {
    await using bash = openCanaryWorld("bash");
    await using sh = openCanaryWorld("sh");
    while (next < first + count && performance.now() - startedAt < untilMs) {
      const index = next++;
      const text = fuzzedText(seed, index);
      const checked = await checkText(text, index % SH_EVERY === 0 ? sh : bash);
      counts.texts++;
      counts.ran += Number(checked.hasRun);
      counts.late += Number(checked.isLate);
      counts.opaque += Number(checked.isOpaque);
      counts.allowed += Number(checked.isAllowed);
      counts.denied += Number(checked.isDenied);
      for (const violation of checked.violations) counts.violations.push(`${seed}:${index} ${JSON.stringify(text)} ${violation}`);
    }
  };
  await Promise.all(Array.from({ length: shells }, work));
  return counts;
}
