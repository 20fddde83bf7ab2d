import { z } from "zod";
import type { AgentContext, Tool } from "../core/agent.ts";
import { AppError } from "../core/errors.ts";
import { lazySchema } from "../core/schema.ts";
import type { TaskId } from "../core/task.ts";
import { stopTask } from "../engine/stop-task.ts";
import { loadTaskKind } from "../tasks/registry.ts";
import description from "./task-stop.md" with { type: "text" };
import { findTaskByInput } from "./find-task-by-input.ts";

const inputSchema = lazySchema("TaskStopInput", () => z.strictObject({ task_id: z.string() }));
type TaskStopInput = z.infer<ReturnType<typeof inputSchema>>;

export const taskStopTool: Tool<TaskStopInput> = {
  name: "TaskStop",
  description,
  inputSchema,
  access: () => ({ kind: "none" }),
  isReadOnly: () => false,
  isConcurrencySafe: () => false,
  maxResultBytes: 2_000,
  async call({ task_id }, context) {
    const { id } = findTaskByInput(task_id, context, "stop");
    refuseOwnLine(id, context);
    const stopped = await stopTask(id, context.host, { findKind: loadTaskKind, isSilent: true });
    const how = stopped.status === "killed" ? "Stopped" : `Not stopped: it had just ended as ${stopped.status}`;
    return { content: `${how}: task ${id} (${stopped.description}). Its output is in ${stopped.outputFile}` };
  },
};

/** An agent that stopped itself, or one it works for, would wait for its own end. */
function refuseOwnLine(id: TaskId, { agentId, host }: AgentContext): void {
  const { tasks } = host.getAppState();
  const seen = new Set<string>();
  for (let own: TaskId | undefined = agentId; own !== undefined && !seen.has(own); own = tasks[own]?.parentTaskId) {
    if (own === id) {
      throw new AppError("conflict", `Cannot stop task "${id}": it is the agent that asks, or one it works for`, { code: "own_line" });
    }
    seen.add(own);
  }
}
