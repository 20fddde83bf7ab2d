import { write as writeToDescriptor, writeSync } from "node:fs";
import { systemErrorCode } from "../core/errors.ts";

/** The one way to stdout and stderr. */
export interface OutputWriter {
  /**
   * Queues text, which goes out in one system call where the other end takes it: a line stays whole beside what other
   * processes write to the same place. Resolves at once while the queue is short and otherwise when it has become short
   * again, so that a slow reader slows the producer and never the event loop. After the reader has gone, everything is
   * dropped.
   */
  write(text: string): Promise<void>;
  /** The same for bytes as they are. The array must not change afterwards. */
  writeBytes(bytes: Uint8Array): Promise<void>;
  /** Resolves when all that was queued is written, or dropped because the reader has gone. */
  drain(): Promise<void>;
  /** The same as the last thing that the process does: a little that is left is written without the thread pool. */
  end(): Promise<void>;
  /** Whether the reader has gone, or nothing can be written for another reason. */
  readonly isClosed: boolean;
  /**
   * Calls `listener` once when that is so, with the system's error: EPIPE where the reader has gone. At once when it is so
   * already.
   */
  onClosed(listener: (error: unknown) => void): void;
}

const QUEUED_BYTES_MAX = 1_048_576;
/** What an empty pipe takes without waiting for its reader. */
const PIPE_BYTES = 65_536;
const RETRY_DELAY_MS = 5;

export interface WriteCalls {
  readonly write: (descriptor: number, bytes: Uint8Array, done: (error: Error | null, written: number) => void) => void;
  readonly writeSync: (descriptor: number, bytes: Uint8Array) => number;
}

const SYSTEM: WriteCalls = {
  write: (fd, bytes, done) => writeToDescriptor(fd, bytes, done),
  writeSync: (fd, bytes) => writeSync(fd, bytes),
};

/** @param system the system calls, for tests */
export function createOutputWriter(descriptor: number, system: WriteCalls = SYSTEM): OutputWriter {
  const encoder = new TextEncoder();
  const closedListeners: ((error: unknown) => void)[] = [];
  let queue: Uint8Array[] = [];
  let queuedBytes = 0;
  let pumping: Promise<void> | undefined;
  let isClosed = false;
  let failure: unknown;

  function close(error: unknown): void {
    isClosed = true;
    failure = error;
    for (const listener of closedListeners.splice(0)) listener(error);
  }

  async function pump(): Promise<void> {
    // Where the process ends in the same turn, `end` writes so little without a thread.
    if (queuedBytes < PIPE_BYTES) await new Promise((resolve) => setImmediate(resolve));
    for (let bytes = queue.shift(); bytes !== undefined && !isClosed; bytes = queue.shift()) {
      try {
        await writeWhole(descriptor, bytes, system);
      } catch (error) {
        close(error);
      }
      queuedBytes -= bytes.length;
    }
    if (isClosed) {
      queue = [];
      queuedBytes = 0;
    }
    pumping = undefined;
  }

  function flushSync(): void {
    try {
      for (let bytes = queue.shift(); bytes !== undefined && !isClosed; bytes = queue.shift()) writeWholeSync(descriptor, bytes, system);
    } catch (error) {
      close(error);
    }
    queue = [];
    queuedBytes = 0;
  }

  async function writeBytes(bytes: Uint8Array): Promise<void> {
    if (isClosed || bytes.length === 0) return;
    queue.push(bytes);
    queuedBytes += bytes.length;
    pumping ??= pump();
    while (queuedBytes > QUEUED_BYTES_MAX && pumping !== undefined) await pumping;
  }

  async function drain(): Promise<void> {
    while (pumping !== undefined) await pumping;
  }

  return {
    write: (text) => writeBytes(encoder.encode(text)),
    writeBytes,
    drain,
    async end() {
      const hasBegun = queue.reduce((sum, bytes) => sum + bytes.length, 0) < queuedBytes;
      if (hasBegun || queuedBytes > PIPE_BYTES) return await drain();
      flushSync();
    },
    get isClosed() {
      return isClosed;
    },
    onClosed(listener) {
      if (isClosed) listener(failure);
      else closedListeners.push(listener);
    },
  };
}

async function writeWhole(descriptor: number, bytes: Uint8Array, system: WriteCalls): Promise<void> {
  let rest = bytes;
  while (rest.length > 0) {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    system.write(descriptor, rest, (error, written) => (error === null || error === undefined ? resolve(written) : reject(error)));
    try {
      rest = rest.subarray(await promise);
    } catch (error) {
      if (!isFull(error)) throw error;
      await new Promise((wake) => setTimeout(wake, RETRY_DELAY_MS));
    }
  }
}

function writeWholeSync(descriptor: number, bytes: Uint8Array, system: WriteCalls): void {
  let rest = bytes;
  while (rest.length > 0) {
    try {
      rest = rest.subarray(system.writeSync(descriptor, rest));
    } catch (error) {
      if (!isFull(error)) throw error;
      Bun.sleepSync(RETRY_DELAY_MS);
    }
  }
}

/** Somebody else made the descriptor non-blocking and the pipe is full. */
function isFull(error: unknown): boolean {
  return systemErrorCode(error) === "EAGAIN";
}
