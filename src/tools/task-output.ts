import { z } from "zod";
import type { AgentContext, Tool, ToolCall, ToolOutput } from "../core/agent.ts";
import { lazySchema } from "../core/schema.ts";
import { AppError, errorMessage } from "../core/errors.ts";
import { printedBytes } from "../core/printed-bytes.ts";
import type { TaskState } from "../core/task-state.ts";
import { isTerminalTaskStatus } from "../core/task.ts";
import { findTask } from "../engine/find-task.ts";
import { updateTaskState } from "../engine/update-task-state.ts";
import { outputExcerpt } from "../lib/output-excerpt.ts";
import { createWakeup } from "../lib/wakeup.ts";
import { findTaskByInput } from "./find-task-by-input.ts";
import { type OutputSnapshot, readOutputSnapshot } from "./read-output-snapshot.ts";
import description from "./task-output.md" with { type: "text" };

const BLOCK_TIMEOUT_MS = 30_000;
const BLOCK_TIMEOUT_MS_MAX = 600_000;
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
  const { signal } = options.call;
  const deadline = performance.now() + options.timeoutMs;
  const news = createWakeup();
  const stopListening = host.onStateChange(news.wake);
  try {
    for (;;) {
      const since = news.count();
      const task = findTask(found.id, host) ?? found;
      const leftMs = deadline - performance.now();
      if (isTerminalTaskStatus(task.status) || leftMs <= 0 || signal.aborted) return task;
      await news.wait({ since, signal, timeoutMs: leftMs });
    }
  } finally {
    stopListening();
  }
}

async function show(task: TaskState, offset: number, context: AgentContext): Promise<ToolOutput> {
  const { snapshot, nextOffset, lost } = readSnapshot(task, offset, context);
  const excerpt = outputExcerpt(snapshot, { bytesMax: OUTPUT_BYTES_SHOWN });
  await rememberOffset(task, nextOffset, context);
  const text = excerpt.text.trimEnd();
  return {
    content: [
      `Task ${task.id} (${task.description}): ${statusText(task)}`,
      text === "" ? `(no ${offset > 0 ? "new " : ""}output)` : text,
      ...lost.map(({ start, end }) => `Not kept: ${end - start} bytes, from byte ${start} to byte ${end}`),
      `Next offset: ${nextOffset}${excerpt.isShortened ? `. The output is in ${task.outputFile}` : ""}`,
    ].join("\n"),
  };
}

/** Throws an `AppError` when there is no output, or it cannot be read. */
function readSnapshot(task: TaskState, offset: number, { host }: AgentContext): OutputSnapshot {
  try {
    const reader = host.outputs.read(task.id);
    try {
      return readOutputSnapshot(reader, { offset, printedBytes: printedBytes(task) });
    } finally {
      reader.close();
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("storage", `Cannot read "${task.outputFile}": ${errorMessage(error)}`, { cause: error });
  }
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
