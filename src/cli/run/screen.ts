import type { OutputWriter } from "../../platform/output-writer.ts";

/**
 * What a person watches while a run goes on: the answer on stdout, notes on stderr and a status line at the bottom, which
 * may all end on one terminal. They appear there in the order of the calls, and none writes into the line of another.
 */
export interface Screen {
  /** Adds to the answer. */
  answer(text: string): void;
  /** Prints a whole line that stays; `line` ends with a line feed. */
  note(line: string): void;
  /** Replaces the status line. It is not shown while the answer stands in the middle of a line. */
  status(text: string): void;
  /** Takes the status line away; resolves when everything is written. */
  close(): Promise<void>;
}

const CLEAR_LINE = "\r\u001b[K";

/** @param options.hasStatus whether stderr is a terminal that shows a status line */
export function createScreen(
  { stdout, stderr }: { readonly stdout: OutputWriter; readonly stderr: OutputWriter },
  options: { readonly hasStatus: boolean; readonly isAnswerOnTerminal: boolean },
): Screen {
  let written: Promise<void> = Promise.resolve();
  let status = "";
  let isStatusShown = false;
  let isMidLine = false;

  /** Two writers know nothing of each other's queue: one has to be empty before the other goes on. */
  function write(writer: OutputWriter, text: string): void {
    if (text === "") return;
    written = written.then(async () => {
      await writer.write(text);
      await writer.drain();
    });
  }

  function erase(): void {
    if (isStatusShown) write(stderr, CLEAR_LINE);
    isStatusShown = false;
  }

  function draw(): void {
    if (!options.hasStatus || isMidLine || status === "") return;
    write(stderr, `${CLEAR_LINE}${status}`);
    isStatusShown = true;
  }

  return {
    answer(text) {
      erase();
      write(stdout, text);
      if (options.isAnswerOnTerminal && text !== "") isMidLine = !text.endsWith("\n");
      draw();
    },
    note(line) {
      erase();
      if (isMidLine) write(stdout, "\n");
      isMidLine = false;
      write(stderr, line);
      draw();
    },
    status(text) {
      status = text;
      draw();
    },
    close() {
      erase();
      status = "";
      return written;
    },
  };
}
