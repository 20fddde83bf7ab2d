import { visibleText } from "./visible-text.ts";

/** Makes a stream of foreign text safe for a terminal, piece by piece. */
export interface ColoredTerminalText {
  /** What may be shown of the stream so far; an unfinished escape sequence is held back. */
  push(text: string): string;
  /** What was held back, and the end of all colors. */
  end(): string;
}

/** An escape sequence that is longer than this does nothing that a program means. */
const HELD_CHARS_MAX = 4_096;

/**
 * Colors and carriage returns pass, so that progress bars and test reports look as they were meant. Every other escape
 * sequence (cursor, title, clipboard, links …) is taken out, and what is left of control characters is made visible.
 */
export function createColoredTerminalText(): ColoredTerminalText {
  let held = "";
  let hasColor = false;

  function show(text: string): string {
    return text
      .replaceAll(OTHER_SEQUENCE, "")
      .split(PASSING)
      .map((piece, index) => {
        // Every second piece is what the pattern captured.
        if (index % 2 === 0) return visibleText(piece);
        hasColor ||= piece !== "\r";
        return piece;
      })
      .join("");
  }

  return {
    push(text) {
      const whole = held + text;
      const start = UNFINISHED_SEQUENCE.exec(whole)?.index ?? whole.length;
      const isHeld = whole.length - start <= HELD_CHARS_MAX;
      held = isHeld ? whole.slice(start) : "";
      return show(isHeld ? whole.slice(0, start) : whole);
    },
    end() {
      const rest = show(held);
      held = "";
      return hasColor ? `${rest}\u001b[0m` : rest;
    },
  };
}

// oxlint-disable-next-line no-control-regex -- escape sequences are what is looked for
const PASSING = /(\u001b\[[0-9;:]*m|\r)/;
/** String sequences with their terminator, control sequences that are no colors, and short ones. */
// oxlint-disable-next-line no-control-regex -- as above
const OTHER_SEQUENCE = /\u001b(?:[\]P_^X][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)|\[(?![0-9;:]*m)[0-?]*[ -/]*[@-~]|[ -/]+[0-~]|[0-OQ-WYZ\\`-~])/g;
/** One that the text breaks off in. */
// oxlint-disable-next-line no-control-regex -- as above
const UNFINISHED_SEQUENCE = /\u001b(?:\[[0-?]*[ -/]*|[\]P_^X][^\u0007\u001b\u009c]*\u001b?|[ -/]*)$/;
