/**
 * What a terminal would show of raw output, as plain text: escape sequences are gone, and a line that was redrawn with
 * carriage returns, backspaces or erase sequences is there once, in its last state. Other control characters become
 * their visible pictures (`␀`), so that nothing glues together.
 *
 * Takes time in proportion to the length of `text`, whatever stands in it.
 */
export function terminalText(text: string): string {
  return text
    .split("\n")
    .map((line) => (CONTROL.test(line) ? redrawnLine(line) : line))
    .join("\n");
}

// oxlint-disable-next-line no-control-regex -- control characters are what this looks for
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

/**
 * Escape sequences, each alternative anchored where it starts. A string sequence (title, clipboard, …) ends at its
 * terminator; one without stays, but for its first two characters: hidden text would otherwise be easy.
 */
// oxlint-disable-next-line no-control-regex -- as above
const ESCAPE_SEQUENCE = /\u001b(?:\[([0-?]*)[ -/]*([@-~])|[\]P_^X][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)|[ -/]*[0-~])|\u009b([0-?]*)[ -/]*([@-~])/y;

/** Plays one line on a row of cells, as a terminal without a right edge does. */
function redrawnLine(line: string): string {
  const row: Row = { cells: [], column: 0 };
  // The carriage return of a CRLF line end redraws nothing.
  const end = line.endsWith("\r") ? line.length - 1 : line.length;
  let index = 0;
  while (index < end) {
    const code = line.codePointAt(index) ?? 0;
    if (code === 0x1b || code === 0x9b) {
      index = playEscape(row, line, index);
      continue;
    }
    playCharacter(row, code);
    index += code > 0xffff ? 2 : 1;
  }
  return row.cells.join("");
}

interface Row {
  readonly cells: string[];
  column: number;
}

/** How far beyond the text a sequence may move the cursor: a forged column must not fill the memory. */
const COLUMN_MAX = 500;

function playEscape(row: Row, line: string, index: number): number {
  ESCAPE_SEQUENCE.lastIndex = index;
  const match = ESCAPE_SEQUENCE.exec(line);
  if (match === null) return index + 1;
  const command = match[2] ?? match[4];
  if (command !== undefined) playCursor(row, command, match[1] ?? match[3] ?? "");
  return ESCAPE_SEQUENCE.lastIndex;
}

/** The sequences that change what one line shows; the others move between lines or only change colors. */
function playCursor(row: Row, command: string, parameters: string): void {
  const count = Number.parseInt(parameters, 10);
  const distance = Math.max(1, Number.isNaN(count) ? 1 : count);
  switch (command) {
    case "C":
      moveTo(row, row.column + distance);
      return;
    case "D":
      moveTo(row, row.column - distance);
      return;
    case "G":
      moveTo(row, distance - 1);
      return;
    case "K":
      erase(row, Number.isNaN(count) ? 0 : count);
  }
}

function moveTo(row: Row, column: number): void {
  row.column = Math.max(0, Math.min(column, Math.max(COLUMN_MAX, row.cells.length)));
}

function erase(row: Row, mode: number): void {
  if (mode === 0) row.cells.length = Math.min(row.cells.length, row.column);
  else if (mode === 2) row.cells.length = 0;
}

function playCharacter(row: Row, code: number): void {
  if (code === 0x0d) row.column = 0;
  else if (code === 0x08) row.column = Math.max(0, row.column - 1);
  else put(row, visible(code));
}

function put(row: Row, character: string): void {
  while (row.cells.length < row.column) row.cells.push(" ");
  row.cells[row.column] = character;
  row.column++;
}

const CONTROL_PICTURES = 0x2400;

function visible(code: number): string {
  if (code === 0x09) return "\t";
  if (code < 0x20) return String.fromCodePoint(CONTROL_PICTURES + code);
  if (code === 0x7f) return "\u2421";
  return code >= 0x80 && code < 0xa0 ? "\ufffd" : String.fromCodePoint(code);
}
