import type { CliIo } from "../../src/cli/command.ts";
import type { OutputWriter } from "../../src/platform/output-writer.ts";

/** The world of a command with its output in memory. */
export interface MemoryIo extends CliIo {
  readonly stdout: MemoryWriter;
  readonly stderr: MemoryWriter;
}

export interface MemoryWriter extends OutputWriter {
  readonly text: string;
  readonly bytes: Uint8Array;
  /** From now on the reader is gone. */
  close(): void;
}

/** Neither a terminal nor a reader that leaves, unless told. */
export function memoryIo(options: Partial<Omit<CliIo, "stdout" | "stderr">> = {}): MemoryIo {
  return { stdout: memoryWriter(), stderr: memoryWriter(), env: {}, isStdinTty: false, isStdoutTty: false, isStderrTty: false, columnsOf: () => undefined, ...options };
}

function memoryWriter(): MemoryWriter {
  const chunks: Uint8Array[] = [];
  const listeners: ((error: unknown) => void)[] = [];
  let isClosed = false;
  const writeBytes = (bytes: Uint8Array) => {
    if (!isClosed) chunks.push(Uint8Array.from(bytes));
    return Promise.resolve();
  };
  return {
    write: (text) => writeBytes(Buffer.from(text)),
    writeBytes,
    drain: () => Promise.resolve(),
    end: () => Promise.resolve(),
    get isClosed() {
      return isClosed;
    },
    onClosed(listener) {
      if (isClosed) listener(undefined);
      else listeners.push(listener);
    },
    get text() {
      return Buffer.concat(chunks).toString();
    },
    get bytes() {
      return Buffer.concat(chunks);
    },
    close() {
      isClosed = true;
      for (const listener of listeners.splice(0)) listener(undefined);
    },
  };
}
