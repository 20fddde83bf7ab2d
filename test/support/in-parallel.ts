/** Does something for each item, several at a time. Resolves with the outcomes in the order of the items. */
export async function inParallel<Item, Outcome>(
  items: readonly Item[],
  { atOnce }: { readonly atOnce: number },
  work: (item: Item, index: number) => Promise<Outcome>,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const queue = items.entries();
  const lane = async () => {
    for (const [index, item] of queue) outcomes[index] = await work(item, index);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return outcomes;
}
