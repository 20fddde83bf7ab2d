/** Random choices that a seed repeats. */
export interface Random {
  /** A whole number from 0 up to, but without, `limit`. */
  below(limit: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  /** One of several ways, each as often as its weight says. */
  choose<Result>(ways: readonly (readonly [weight: number, way: () => Result])[]): Result;
}

/** The choices of one case: the same seed and index give the same ones. */
export function createRandom(seed: number, index: number): Random {
  let state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35)) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    chance: (probability) => next() < probability,
    pick: (items) => items[below(items.length)] as (typeof items)[number],
    choose(ways) {
      let at = next() * ways.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, way] of ways) {
        at -= weight;
        if (at < 0) return way();
      }
      return (ways.at(-1) as (typeof ways)[number])[1]();
    },
  };
}
