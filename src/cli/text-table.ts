import { visibleText } from "../lib/visible-text.ts";

/** Rows of cells as lines for people: columns two blanks apart, the last one as long as it is. */
export function textTable(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => visibleText(cell).replaceAll("\n", " ")));
  const widths: number[] = [];
  for (const row of cells) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, Bun.stringWidth(cell));
  }
  return cells.map((row) => `${row.map((cell, column) => padded(cell, widths[column] ?? 0)).join("  ").trimEnd()}\n`).join("");
}

function padded(cell: string, width: number): string {
  return cell + " ".repeat(Math.max(0, width - Bun.stringWidth(cell)));
}
