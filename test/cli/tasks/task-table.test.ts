import { describe, expect, test } from "bun:test";
import { taskTable } from "../../../src/cli/tasks/task-table.ts";
import type { TaskSummaryRow } from "../../../src/store/ledger-rows.ts";
import { sampleTask, taskId } from "../../support/sample-task.ts";

function row(changes: Partial<TaskSummaryRow> = {}): TaskSummaryRow {
  const { detail: _detail, ...base } = sampleTask({ startTime: 0, outputFile: "/state/x" });
  return { ...base, ...changes };
}

describe("the table", () => {
  test("columns line up under their headings", () => {
    const table = taskTable(
      [
        row({ id: taskId("a00000001"), type: "local_agent", name: "nightly", turnCount: 12, tokenCount: 34_567, costUsd: 0.5, lastActivity: "Bash npm test" }),
        row({ description: "make -j2" }),
      ],
      { now: 200_000 },
    );
    expect(table).toBe(
      [
        "ID         NAME     TYPE         STATUS   AGE     TURNS  TOKENS  COST   LAST",
        "a00000001  nightly  local_agent  running  3m 20s  12     34.6k   $0.50  Bash npm test",
        "b00000000  -        local_bash   running  3m 20s  -      -       -      make -j2",
        "",
      ].join("\n"),
    );
  });

  test("without tasks it is the headings alone", () => {
    expect(taskTable([], { now: 0 })).toBe("ID  NAME  TYPE  STATUS  AGE  TURNS  TOKENS  COST  LAST\n");
  });

  test("lines are cut to a width only where one is told", () => {
    const tasks = [row({ description: "x".repeat(60) })];
    const widest = (columns?: number) => Math.max(...taskTable(tasks, { now: 0, ...(columns === undefined ? {} : { columns }) }).split("\n").map((line) => line.length));
    expect(widest(70)).toBe(70);
    expect(widest()).toBeGreaterThan(100);
  });

  test("wide characters take two columns", () => {
    const [, first, second] = taskTable([row({ name: "夜間" }), row({ name: "abcd" })], { now: 0 }).split("\n");
    expect(first).toContain("夜間  local_bash");
    expect(second).toContain("abcd  local_bash");
  });

  test("foreign text is one short line that no terminal acts on", () => {
    const table = taskTable([row({ name: "a\u001b[31mb", description: `one\ntwo\u202e ${"y".repeat(500)}` })], { now: 0 });
    expect(table).not.toContain("\u001b");
    expect(table).toContain("a␛[31mb");
    expect(table).toContain("one two<U+202E>");
    expect(table.split("\n")).toHaveLength(3);
    expect(table.length).toBeLessThan(400);
  });

  test("small costs keep the digits that say something", () => {
    expect(taskTable([row({ costUsd: 0.0012 })], { now: 0 })).toContain("$0.0012");
    expect(taskTable([row({ costUsd: 0 })], { now: 0 })).toContain("$0.00");
    expect(taskTable([row({ tokenCount: 2_500_000 })], { now: 0 })).toContain("2.5M");
  });
});
