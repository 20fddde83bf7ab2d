/** What an error text says at its end of processes that nothing could end; empty where there are none. */
export function survivorsNote(pids: readonly number[]): string {
  return pids.length === 0 ? "" : `; these processes could not be ended: ${pids.join(", ")}`;
}
