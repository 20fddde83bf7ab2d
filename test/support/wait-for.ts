/**
 * Resolves with the first value of `probe` that is neither undefined, null nor false.
 *
 * @param options.timeoutMs how long to look before the test fails; 10 s unless told
 */
export async function waitFor<T>(
  probe: () => T | undefined | null | false | Promise<T | undefined | null | false>,
  options: { readonly timeoutMs?: number; readonly what?: string } = {},
): Promise<T> {
  const deadline = Date.now() + (options.timeoutMs ?? 10_000);
  for (;;) {
    const value = await probe();
    if (value !== undefined && value !== null && value !== false) return value;
    if (Date.now() > deadline) throw new Error(`Waited in vain for ${options.what ?? String(probe)}`);
    await Bun.sleep(5);
  }
}
