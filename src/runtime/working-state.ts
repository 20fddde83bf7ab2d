import type { WorkingState } from "../agent/compaction/summary.ts";
import type { AgentContext } from "../core/agent.ts";
import { isTerminalTaskStatus } from "../core/task.ts";

const RECENT_FILES_MAX = 10;

/** What an agent has to know besides its conversation to go on with its work, as it is now. */
export function workingState({ agentId, todos, host, readFileState }: AgentContext): WorkingState {
  const tasks = Object.values(host.getAppState().tasks).filter((task) => task.parentTaskId === agentId && !isTerminalTaskStatus(task.status) && task.isBackgrounded);
  return {
    todos: todos.get().filter(({ status }) => status !== "completed").map(({ content, status }) => `${content} (${status})`),
    runningTasks: tasks.map(({ id, description }) => `${id}: ${description}`),
    recentFiles: readFileState.recent(RECENT_FILES_MAX),
  };
}
