/**
 * Runs generators side by side, at most `limit` at a time, and yields what they yield as it comes.
 *
 * Returns what they returned, in the order given, whatever order they ended in. When one throws, the others are run to
 * their end first and then the error is thrown, so that no work is left behind unobserved.
 */
export async function* mergeGenerators<Value, Result>(
  generators: readonly AsyncGenerator<Value, Result>[],
  limit: number,
): AsyncGenerator<Value, Result[]> {
  const results: Result[] = [];
  const waiting = generators.map((generator, index) => ({ generator, index })).toReversed();
  const running = new Map<number, Promise<Step<Value, Result>>>();
  let failure: { readonly error: unknown } | undefined;

  for (;;) {
    while (running.size < limit) {
      const next = waiting.pop();
      if (next === undefined) break;
      running.set(next.index, step(next.generator, next.index));
    }
    if (running.size === 0) break;
    const { index, generator, outcome } = await Promise.race(running.values());
    if ("error" in outcome) {
      failure ??= outcome;
      running.delete(index);
    } else if (outcome.done === true) {
      results[index] = outcome.value;
      running.delete(index);
    } else {
      running.delete(index);
      // What was yielded is seen before the generator goes on; the others go on meanwhile.
      yield outcome.value;
      running.set(index, step(generator, index));
    }
  }
  if (failure !== undefined) throw failure.error;
  return results;
}

interface Step<Value, Result> {
  readonly index: number;
  readonly generator: AsyncGenerator<Value, Result>;
  readonly outcome: IteratorResult<Value, Result> | { readonly error: unknown };
}

async function step<Value, Result>(generator: AsyncGenerator<Value, Result>, index: number): Promise<Step<Value, Result>> {
  try {
    return { index, generator, outcome: await generator.next() };
  } catch (error) {
    return { index, generator, outcome: { error } };
  }
}
