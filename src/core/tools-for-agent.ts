import type { AgentDefinition } from "./agent-definition.ts";
import { isMcpTool, isNamedBy } from "./mcp-tool-name.ts";

/** The tool that starts agents. */
export const AGENT_TOOL_NAME = "Agent";

/** For a root agent alone: who asks a person, leads a team or changes the mode of a session answers for the whole of it. */
const ROOT_TOOLS: ReadonlySet<string> = new Set(["AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "TeamCreate", "TeamDelete"]);

/** Not for definitions that people write: what is started by it outlives them. */
const BUILT_IN_AGENT_TOOLS: ReadonlySet<string> = new Set(["Workflow"]);

/** All that an agent may have while nobody waits for it; a tool that is not named here would need somebody. */
const BACKGROUND_TOOLS: ReadonlySet<string> = new Set(
  `Bash Read Write Edit Glob Grep TodoWrite TaskOutput TaskStop ${AGENT_TOOL_NAME} EnterWorktree ExitWorktree NotebookEdit SendMessage Skill SyntheticOutput ToolSearch WebFetch WebSearch`.split(" "),
);

const SHELL_TOOL_NAME = "Bash";
/** Whoever starts commands in the background can look at them and end them. */
const SHELL_TOOLS: ReadonlySet<string> = new Set(["TaskOutput", "TaskStop"]);

/**
 * The names of the tools that an agent gets, in the order of `toolNames`. The tools of MCP servers reach every agent
 * whose definition does not forbid them.
 *
 * @param options.toolNames all tools there are
 * @param options.depth 0 for the root agent of a run, one more for every agent that started it
 * @param options.depthMax the depth at which an agent starts no other
 */
export function toolsForAgent(
  { tools, disallowedTools = [], source }: Pick<AgentDefinition, "tools" | "disallowedTools" | "source">,
  options: { readonly toolNames: readonly string[]; readonly depth: number; readonly depthMax: number; readonly isBackground: boolean },
): string[] {
  const { toolNames, depth, depthMax, isBackground } = options;
  return toolNames.filter((name) => {
    if (disallowedTools.some((pattern) => isNamedBy(name, pattern))) return false;
    if (isMcpTool(name)) return true;
    if (tools !== "all" && !tools.includes(name) && !(SHELL_TOOLS.has(name) && tools.includes(SHELL_TOOL_NAME))) return false;
    if (name === AGENT_TOOL_NAME && depth >= depthMax) return false;
    if (depth === 0) return true;
    if (ROOT_TOOLS.has(name) || (source !== "built-in" && BUILT_IN_AGENT_TOOLS.has(name))) return false;
    return !isBackground || BACKGROUND_TOOLS.has(name);
  });
}
