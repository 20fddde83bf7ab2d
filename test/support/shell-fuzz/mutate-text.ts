import type { Random } from "./random.ts";

const PIECES = [
  "'", '"', "`", "$(", ")", "(", "${", "}", "{", "\\", "\n", "\\\n", ";", "&", "|", "<", ">", "<<X", "\nX\n", "#", " #", ",", "*", "?", "[", "]", "~", "!", "=", "+=", "\r", "\u00a0", "\v", "\f", "\t", " ", "$'", '$"', "<(", ">&", "&>", "<<<", "<<-", "canary", " canary ", "\ncanary\n", " esac ", " done ", " fi ", " in ", " do ", " then ", "time ", "coproc ", "function ", "|&", ";;", "((", "))", "[[", "]]", "é", "日", "\u200b", "$x", "\\\\", "1>", "2>&1", "&&", "||", "{x}", "$((", "-", ".", "/", "0", "x=",
];

/** Changes a text at a few places: what a parser expects least stands next to what it knows. */
export function mutateText(random: Random, text: string, other: string): string {
  let mutated = text;
  for (let more = 1 + random.below(4); more > 0; more--) {
    const [first, second] = [random.below(mutated.length + 1), random.below(mutated.length + 1)].toSorted((a, b) => a - b) as [number, number];
    const near = Math.min(second, first + 12);
    mutated = random.choose([
      [3, () => mutated.slice(0, first) + random.pick(PIECES) + mutated.slice(first)],
      [2, () => mutated.slice(0, first) + mutated.slice(first + 1)],
      [1, () => mutated.slice(0, first) + mutated.slice(near)],
      [1, () => mutated.slice(0, near) + mutated.slice(first)],
      [1, () => mutated.slice(0, first) + (mutated[first + 1] ?? "") + (mutated[first] ?? "") + mutated.slice(first + 2)],
      [1, () => mutated.slice(0, first) + other.slice(random.below(other.length + 1))],
      [1, () => mutated.slice(0, first) + other + mutated.slice(first)],
      [1, () => mutated.slice(0, first) + random.pick(PIECES) + mutated.slice(near)],
    ]);
  }
  return mutated.slice(0, 2_000).replaceAll("\0", "");
}
