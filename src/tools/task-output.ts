import { z } from "zod";
import type { AgentContext, Tool, ToolCall, ToolOutput } from "../core/agent.ts";
import { lazySchema } from "../core/schema.ts";
import type { TaskState } from "../core/task-state.ts";
import { isTerminalTaskStatus } from "../core/task.ts";
import { updateTaskState } from "../engine/update-task-state.ts";
import { abortableSleep } from "../lib/abortable-sleep.ts";
import { outputExcerpt } from "../lib/output-excerpt.ts";
import { findTaskByInput } from "./find-task-by-input.ts";
import { readOutputSnapshot } from "./read-output-snapshot.ts";
import description from "./task-output.md" with { type: "text" };

const BLOCK_TIMEOUT_MS = 30_000;
const BLOCK_TIMEOUT_MS_MAX = 600_000;
const BLOCK_POLL_MS = 25;
/** Leaves room for the notes within the result. */
const OUTPUT_BYTES_SHOWN = 28_000;

const inputSchema = lazySchema("TaskOutputInput", () =>
  z.strictObject({
    task_id: z.string(),
    offset: z.number().int().min(0).optional(),
    block: z.boolean().optional(),
    timeout: z.number().int().min(0).max(BLOCK_TIMEOUT_MS_MAX).optional(),
  }),
);
type TaskOutputInput = z.infer<ReturnType<typeof inputSchema>>;

export const taskOutputTool: Tool<TaskOutputInput> = {
  name: "TaskOutput",
  description,
  inputSchema,
  access: () => ({ kind: "none" }),
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  maxResultBytes: 30_000,
  async call(input, context, call) {
    const found = findTaskByInput(input.task_id, context, "read the output of");
    const task = input.block === true ? await waitUntilTerminal(found, context, { call, timeoutMs: input.timeout ?? BLOCK_TIMEOUT_MS }) : found;
    return await show(task, input.offset ?? 0, context);
  },
};

async function waitUntilTerminal(
  found: TaskState,
  { host }: AgentContext,
  options: { readonly call: ToolCall; readonly timeoutMs: number },
): Promise<TaskState> {
  const deadline = performance.now() + options.timeoutMs;
  let task = found;
  while (!isTerminalTaskStatus(task.status) && performance.now() < deadline && !options.call.signal.aborted) {
    await abortableSleep(BLOCK_POLL_MS, options.call.signal);
    task = host.getAppState().tasks[task.id] ?? task;
  }
  return task;
}

async function show(task: TaskState, offset: number, context: AgentContext): Promise<ToolOutput> {
  const { snapshot, nextOffset } = readOutputSnapshot(task.outputFile, offset);
  const excerpt = outputExcerpt(snapshot, { bytesMax: OUTPUT_BYTES_SHOWN });
  await rememberOffset(task, nextOffset, context);
  const text = excerpt.text.trimEnd();
  return {
    content: [
      `Task ${task.id} (${task.description}): ${statusText(task)}`,
      text === "" ? `(no ${offset > 0 ? "new " : ""}output)` : text,
      `Next offset: ${nextOffset}${excerpt.isShortened ? `. The whole output is in ${task.outputFile}` : ""}`,
    ].join("\n"),
  };
}

function statusText(task: TaskState): string {
  return task.error === undefined ? task.status : `${task.status}: ${task.error}`;
}

/** What the agent that started the task has been shown. */
async function rememberOffset(task: TaskState, outputOffset: number, { agentId, host }: AgentContext): Promise<void> {
  if (task.parentTaskId !== agentId || outputOffset <= task.outputOffset) return;
  await host.ledger.patchTask(task.id, task.attempt, { outputOffset });
  updateTaskState(task.id, host.setAppState, (current) => ({ ...current, outputOffset }));
}
