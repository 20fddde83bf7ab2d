import { expect, test } from "bun:test";
import { taskTree } from "../../../src/cli/tasks/task-tree.ts";
import { taskId } from "../../support/sample-task.ts";

const task = (id: string, parent?: string) => ({ id: taskId(id), parentTaskId: parent === undefined ? undefined : taskId(parent) });

test("children follow their parent, one step further in, and siblings keep their order", () => {
  const tasks = [task("b00000003", "a00000002"), task("b00000009"), task("a00000002", "a00000001"), task("b00000004", "a00000002"), task("a00000001"), task("b00000005", "a00000001")];
  expect(taskTree(tasks).map(({ task: { id }, depth }) => `${" ".repeat(depth)}${id}`)).toEqual([
    "b00000009",
    "a00000001",
    " a00000002",
    "  b00000003",
    "  b00000004",
    " b00000005",
  ]);
});

test("a task whose parent is not listed stands at the top", () => {
  expect(taskTree([task("b00000003", "a00000002")]).map(({ depth }) => depth)).toEqual([0]);
});
