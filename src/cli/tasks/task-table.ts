import type { TaskId } from "../../core/task.ts";
import { formatDuration } from "../../lib/duration.ts";
import { visibleText } from "../../lib/visible-text.ts";
import type { TaskSummaryRow } from "../../store/ledger-rows.ts";
import type { ListedWorktree } from "./listed-worktrees.ts";
import { taskTree } from "./task-tree.ts";

const HEADINGS = ["ID", "NAME", "TYPE", "STATUS", "AGE", "TURNS", "TOKENS", "COST", "LAST"] as const;
/** Of the columns that are padded, the one that holds foreign text, whose characters may be wide. */
const FOREIGN_COLUMN = HEADINGS.indexOf("NAME");
const COLUMN_GAP = 2;
const INDENT = "  ";
/** Deeper ones stand below each other. */
const INDENTS_MAX = 20;
/** A name or an activity that is longer would push the other columns out of sight. */
const CELL_CHARS_MAX = 80;

/**
 * A list of tasks for people, headings first, a line feed behind each line. LAST is an agent's latest activity, and what
 * the task is about where there is none.
 *
 * @param options.now milliseconds since the epoch
 * @param options.columns lines are cut to this width; they are whole unless told
 * @param options.worktrees those of the tasks that have one; their branch comes first in LAST while they are there
 * @param options.isTree each task stands below the one that started it, further in
 */
export function taskTable(
  tasks: readonly TaskSummaryRow[],
  { now, columns, isTree = false, worktrees }: { readonly now: number; readonly columns?: number | undefined; readonly isTree?: boolean; readonly worktrees?: ReadonlyMap<TaskId, ListedWorktree> },
): string {
  const tree = isTree ? taskTree(tasks) : tasks.map((task) => ({ task, depth: 0 }));
  const rows = [HEADINGS, ...tree.map(({ task, depth }) => cells(task, { depth, now, branch: branchOf(worktrees?.get(task.id)) }))];
  const widths = columnWidths(rows);
  const lines = rows.map((row) => joined(row, widths));
  const shown = columns === undefined ? lines : lines.map((line) => cutToWidth(line, columns));
  return `${shown.join("\n")}\n`;
}

/** Of a worktree that is there. */
function branchOf(worktree: ListedWorktree | undefined): string {
  return worktree?.kept === true ? `[${worktree.branch}] ` : "";
}

function cells(task: TaskSummaryRow, { depth, now, branch }: { readonly depth: number; readonly now: number; readonly branch: string }): readonly string[] {
  return [
    INDENT.repeat(Math.min(depth, INDENTS_MAX)) + task.id,
    oneLine(task.name ?? "-"),
    task.type,
    task.status,
    formatDuration(now - task.startTime),
    task.turnCount === undefined ? "-" : String(task.turnCount),
    task.tokenCount === undefined ? "-" : formatCount(task.tokenCount),
    task.costUsd === undefined ? "-" : formatCost(task.costUsd),
    oneLine(`${branch}${task.lastActivity ?? task.description}`),
  ];
}

/** Names and descriptions come from users and models: one line, and nothing in it that a terminal acts on. */
function oneLine(text: string): string {
  if (text.length <= CELL_CHARS_MAX && isPlain(text)) return text;
  const line = visibleText(text.slice(0, CELL_CHARS_MAX + 1).replaceAll(/\s+/g, " "));
  return line.length > CELL_CHARS_MAX ? `${line.slice(0, CELL_CHARS_MAX - 1).toWellFormed()}…` : line;
}

function formatCount(count: number): string {
  if (count < 1_000) return String(count);
  return count < 1_000_000 ? `${(count / 1_000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

function formatCost(usd: number): string {
  return usd > 0 && usd < 0.01 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
}

function columnWidths(rows: readonly (readonly string[])[]): number[] {
  const widths = HEADINGS.map(() => 0);
  for (const row of rows) {
    for (let column = 0; column < row.length; column++) widths[column] = Math.max(widths[column] ?? 0, cellWidth(row, column));
  }
  return widths;
}

function joined(row: readonly string[], widths: readonly number[]): string {
  let text = "";
  for (let column = 0; column < row.length - 1; column++) {
    text += (row[column] ?? "") + " ".repeat((widths[column] ?? 0) - cellWidth(row, column) + COLUMN_GAP);
  }
  return text + (row.at(-1) ?? "");
}

function cellWidth(row: readonly string[], column: number): number {
  const text = row[column] ?? "";
  return column === FOREIGN_COLUMN ? displayWidth(text) : text.length;
}

function displayWidth(text: string): number {
  return isPlain(text) ? text.length : Bun.stringWidth(text);
}

function cutToWidth(line: string, columns: number): string {
  if (displayWidth(line) <= columns) return line;
  return `${Bun.sliceAnsi(line, 0, Math.max(1, columns - 1))}…`;
}

/** Nearly all text is: a list of thousands of tasks must not wait for the rest. */
function isPlain(text: string): boolean {
  return /^[ -~]*$/.test(text);
}
