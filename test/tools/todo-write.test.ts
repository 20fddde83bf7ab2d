import { expect, test } from "bun:test";
import { todoWriteTool } from "../../src/tools/todo-write.ts";
import { agentContext, callTool } from "../support/agent-context.ts";

const step = (content: string, status: string) => ({ content, status });

test("the list is replaced as a whole and the result counts it", async () => {
  const context = agentContext("/");
  await callTool(todoWriteTool, { todos: [step("old", "pending")] }, context);
  const todos = [step("a", "completed"), step("b", "in_progress"), step("c", "pending")];
  expect((await callTool(todoWriteTool, { todos }, context)).content).toBe("The list has 3 steps: 1 pending, 1 in_progress, 1 completed");
  expect(context.todos.get()).toEqual(todos as never);
});

test("a list beyond the limits, and a status that does not exist, are refused", () => {
  const accepts = (todos: unknown) => todoWriteTool.inputSchema().safeParse({ todos }).success;
  expect(accepts(Array.from({ length: 100 }, () => step("x".repeat(1_000), "pending")))).toBe(true);
  expect(accepts(Array.from({ length: 101 }, () => step("x", "pending")))).toBe(false);
  expect(accepts([step("x".repeat(1_001), "pending")])).toBe(false);
  expect(accepts([step("x", "done")])).toBe(false);
});
