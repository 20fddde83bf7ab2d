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
  /**
   * Prints whole lines that stay, and keeps what comes and goes, and the answer, back until `endQuestion`. Resolves when
   * they are written.
   */
  question(lines: string): Promise<void>;
  /** Prints the beginning of the line on which somebody types. What comes between is printed above it. */
  prompt(text: string): Promise<void>;
  /** That line was ended by whoever typed. */
  endPrompt(): void;
  /** Ends a question, if there is one. */
  endQuestion(): void;
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
  let isAsking = false;
  let openPrompt = "";
  let heldAnswer = "";

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
    if (!options.hasStatus || isMidLine || isAsking || status === "") return;
    write(stderr, `${CLEAR_LINE}${status}`);
    isStatusShown = true;
  }

  function answer(text: string): void {
    if (isAsking) {
      heldAnswer += text;
      return;
    }
    erase();
    write(stdout, text);
    if (options.isAnswerOnTerminal && text !== "") isMidLine = !text.endsWith("\n");
    draw();
  }

  function note(lines: string): void {
    erase();
    if (isMidLine) write(stdout, "\n");
    isMidLine = false;
    write(stderr, openPrompt === "" ? lines : `\n${lines}${openPrompt}`);
    draw();
  }

  function endQuestion(): void {
    if (!isAsking) return;
    if (openPrompt !== "") write(stderr, "\n");
    openPrompt = "";
    isAsking = false;
    answer(heldAnswer);
    heldAnswer = "";
  }

  return {
    answer,
    note,
    status(text) {
      status = text;
      draw();
    },
    question(lines) {
      isAsking = true;
      note(lines);
      return written;
    },
    prompt(text) {
      openPrompt = text;
      write(stderr, text);
      return written;
    },
    endPrompt() {
      openPrompt = "";
    },
    endQuestion,
    close() {
      endQuestion();
      erase();
      status = "";
      return written;
    },
  };
}
