import type { Tool } from "../core/agent.ts";
import type { AgentLauncher } from "../tasks/local_agent/index.ts";
import { createAgentTool } from "./agent.ts";
import { bashTool } from "./bash.ts";
import { editTool } from "./edit.ts";
import { enterWorktreeTool } from "./enter-worktree.ts";
import { exitWorktreeTool } from "./exit-worktree.ts";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";
import { readTool } from "./read.ts";
import { createSendMessageTool } from "./send-message.ts";
import { taskOutputTool } from "./task-output.ts";
import { taskStopTool } from "./task-stop.ts";
import { todoWriteTool } from "./todo-write.ts";
import { writeTool } from "./write.ts";

/**
 * The tools of this build. Their order is part of every request's bytes: a new tool goes to the end.
 *
 * @param launcher starts the agents of the run and gives them messages
 */
export function getAllTools(launcher: AgentLauncher): Tool[] {
  return [bashTool, readTool, writeTool, editTool, globTool, grepTool, todoWriteTool, taskOutputTool, taskStopTool, createAgentTool(launcher), createSendMessageTool(launcher), enterWorktreeTool, exitWorktreeTool];
}
