import { shortenedStorageWaitMs } from "./test-hooks/shortened-storage-wait.ts";

const STORAGE_WAIT_MS = 30_000;

/** How long a run waits for a disk that fails, in milliseconds. */
export function storageWaitMs(): number {
  return TEST_HOOKS ? shortenedStorageWaitMs(STORAGE_WAIT_MS) : STORAGE_WAIT_MS;
}
