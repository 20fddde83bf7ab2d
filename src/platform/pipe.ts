import { closeSync } from "node:fs";
import { AppError, errorMessage } from "../core/errors.ts";
import { libc } from "./libc.ts";

/** One pipe of the operating system. */
export interface Pipe {
  /** The end to hand to a child; closed by `closeWriter` once the child has it. */
  readonly writer: number;
  closeWriter(): void;
  readonly reader: PipeReader;
}

export interface PipeReader {
  /** The next bytes; undefined at the end, and after `close`. */
  read(): Promise<Uint8Array | undefined>;
  /** Stops reading, also a `read` that waits. Whoever still writes gets SIGPIPE. */
  close(): Promise<void>;
}

/**
 * A real pipe for a child's output. What `Bun.spawn` calls "pipe" is a socket, and a socket cannot be opened by path:
 * `echo x > /dev/stderr` and `tee /dev/stderr` fail on one. Neither end needs a close-on-exec mark: Bun closes all
 * descriptors but 0 to 2 in every child.
 *
 * Throws an `AppError` when the system refuses.
 */
export function openPipe(): Pipe {
  const ends = new Int32Array(2);
  if (libc().pipe(ends) !== 0) {
    throw new AppError("failed", "Cannot create a pipe: the system refused; too many files may be open", { code: "no_pipe" });
  }
  const [readFd = -1, writeFd = -1] = ends;
  try {
    return { writer: writeFd, closeWriter: () => closeSync(writeFd), reader: createReader(readFd) };
  } catch (error) {
    closeSync(readFd);
    closeSync(writeFd);
    throw new AppError("failed", `Cannot read from a pipe: ${errorMessage(error)}`, { code: "no_pipe", cause: error });
  }
}

/** The read end is polled, so a pipe in which nothing happens costs no thread. */
function createReader(fd: number): PipeReader {
  const reader = Bun.file(fd).stream().getReader();
  let isClosed = false;

  async function close(): Promise<void> {
    if (isClosed) return;
    isClosed = true;
    await reader.cancel();
    closeSync(fd);
  }

  return {
    async read() {
      const { value } = await reader.read();
      if (value === undefined) await close();
      return value;
    },
    close,
  };
}
