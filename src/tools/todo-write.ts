import { z } from "zod";
import { TODO_STATUSES, type Tool } from "../core/agent.ts";
import { lazySchema } from "../core/schema.ts";
import description from "./todo-write.md" with { type: "text" };

const TODOS_MAX = 100;
const TODO_CHARS_MAX = 1_000;

const inputSchema = lazySchema("TodoWriteInput", () =>
  z.strictObject({
    todos: z
      .array(z.strictObject({ content: z.string().min(1).max(TODO_CHARS_MAX), status: z.enum(TODO_STATUSES) }))
      .max(TODOS_MAX),
  }),
);
type TodoWriteInput = z.infer<ReturnType<typeof inputSchema>>;

export const todoWriteTool: Tool<TodoWriteInput> = {
  name: "TodoWrite",
  description,
  inputSchema,
  access: () => ({ kind: "none" }),
  isReadOnly: () => false,
  isConcurrencySafe: () => false,
  maxResultBytes: 1_000,
  async call({ todos }, context) {
    context.todos.set(todos);
    const counts = TODO_STATUSES.map((status) => `${todos.filter((todo) => todo.status === status).length} ${status}`);
    return { content: `The list has ${todos.length} steps: ${counts.join(", ")}` };
  },
};
