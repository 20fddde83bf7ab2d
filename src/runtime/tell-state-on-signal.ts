/**
 * Tells what is going on whenever the process gets SIGUSR1.
 *
 * @param options.describe the state now, a line each
 */
export function tellStateOnSignal(options: { readonly describe: () => readonly string[]; readonly tell: (line: string) => void }): { restore(): void } {
  const handler = (): void => {
    for (const line of options.describe()) options.tell(line);
  };
  process.on("SIGUSR1", handler);
  return { restore: () => void process.off("SIGUSR1", handler) };
}
