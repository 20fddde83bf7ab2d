import { closeSync, constants, openSync } from "node:fs";
import { linuxLibc } from "./libc.ts";

/** What somebody types at the terminal of this process. */
export interface TerminalInput {
  /**
   * Whether standard input is the terminal of this process and this process is in front there. Behind, reading would halt
   * the process, and what is typed is for another one.
   */
  isOurs(): boolean;
  /** Throws away what was typed and not read. */
  discard(): void;
  /**
   * What is typed next, up to the end of a line; with more behind it where more came at once. Undefined at the end of the
   * input, when it cannot be read, and soon after the signal is aborted.
   */
  readLine(signal: AbortSignal): Promise<string | undefined>;
  /** Calls back when this process goes on after it was halted, as by Ctrl-Z; returns what ends that. */
  onResumed(listener: () => void): () => void;
}

const STDIN = 0;
/** More than a terminal makes one line of. */
const LINE_CHARS_MAX = 4_096;
/** The queue of what was typed, for `tcflush`. */
const TCIFLUSH = 0;

/** The terminal on standard input. On other systems than Linux it is never ours. */
export const terminalInput: TerminalInput = {
  isOurs: () => process.platform === "linux" && linuxLibc().tcgetpgrp(STDIN) === linuxLibc().getpgrp(),
  discard: () => void linuxLibc().tcflush(STDIN, TCIFLUSH),
  async readLine(signal) {
    let fd: number;
    try {
      // Opened anew: who made the descriptor non-blocking would do it to every process that shares it.
      fd = openSync("/dev/tty", constants.O_RDONLY | constants.O_NOCTTY | constants.O_NONBLOCK);
    } catch {
      return undefined;
    }
    try {
      return await firstLine(Bun.file(fd).stream(), signal);
    } finally {
      closeSync(fd);
    }
  },
  onResumed(listener) {
    process.on("SIGCONT", listener);
    return () => void process.off("SIGCONT", listener);
  },
};

async function firstLine(stream: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<string | undefined> {
  const reader = stream.getReader();
  // What cannot be canceled has failed, and `read` says so.
  const cancel = () => void reader.cancel().catch(() => undefined);
  if (signal.aborted) cancel();
  signal.addEventListener("abort", cancel, { once: true });
  const decoder = new TextDecoder();
  let text = "";
  try {
    while (!text.includes("\n") && text.length <= LINE_CHARS_MAX) {
      const { done, value } = await reader.read();
      if (done) return undefined;
      text += decoder.decode(value, { stream: true });
    }
    return text.endsWith("\n") ? text.slice(0, -1) : text;
  } catch {
    return undefined;
  } finally {
    signal.removeEventListener("abort", cancel);
    await reader.cancel().catch(() => undefined);
  }
}
