import { isMcpTool } from "../../core/mcp-tool-name.ts";
import { AGENT_TOOL_NAME } from "../../core/tools-for-agent.ts";
import { nearestName } from "../../lib/nearest-name.ts";

/** Tools of other programs that files of this kind name. */
const ELSEWHERE: ReadonlySet<string> = new Set(
  (
    "Agent AskUserQuestion BashOutput EnterPlanMode EnterWorktree ExitPlanMode ExitWorktree KillBash KillShell LS LSP ListMcpResourcesTool Monitor " +
    "MultiEdit NotebookEdit NotebookRead PowerShell ReadMcpResourceTool SendMessage Skill SlashCommand TaskCreate TaskGet TaskList TaskUpdate " +
    "TeamCreate TeamDelete TodoRead ToolSearch WebFetch WebSearch Workflow"
  ).split(" "),
);

/** Other names of our tools. */
const ALIASES: ReadonlyMap<string, string> = new Map([["Task", AGENT_TOOL_NAME]]);

/** What a list of tools comes to. */
export interface CheckedTools {
  /** Those that exist, by our names. */
  readonly tools: readonly string[];
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Checks a list of tools against those that exist. A misspelt name is an error, since nobody can say what was meant; a
 * tool of another program is left out with a warning, so that files made for that one can be used.
 */
export function checkToolNames(names: readonly string[], knownTools: readonly string[]): CheckedTools {
  const tools: string[] = [];
  const errors: string[] = [];
  const warnings: string[] = [];
  for (const written of names) {
    const name = ALIASES.get(written) ?? written;
    if (knownTools.includes(name) || /^mcp__\w[\w.-]*(\*)?$/.test(name)) tools.push(name);
    else if (ELSEWHERE.has(name)) warnings.push(`there is no tool "${written}" in this program; it is left out`);
    else if (name.includes("(")) errors.push(`"${written}" is a permission rule and no tool: name the tool alone`);
    else errors.push(unknownTool(written, knownTools));
  }
  return { tools, errors, warnings };
}

function unknownTool(name: string, knownTools: readonly string[]): string {
  const nearest = isMcpTool(name) ? undefined : nearestName(name, knownTools);
  return `unknown tool "${name}": ${nearest === undefined ? `the tools are ${knownTools.join(", ")}` : `did you mean "${nearest}"?`}`;
}
