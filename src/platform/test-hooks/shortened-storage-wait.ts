/** How long a run waits for a disk that fails, in milliseconds: what `AGENT_TEST_STORAGE_WAIT_MS` says. */
export function shortenedStorageWaitMs(usualMs: number): number {
  const text = process.env["AGENT_TEST_STORAGE_WAIT_MS"];
  return text === undefined ? usualMs : Number(text);
}
