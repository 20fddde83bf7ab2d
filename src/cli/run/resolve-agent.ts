import { homedir } from "node:os";
import type { AgentDefinition } from "../../core/agent-definition.ts";
import { AppError } from "../../core/errors.ts";
import { hasSlimmedContext } from "../../core/slimmed-context.ts";
import type { Thinking } from "../../core/thinking.ts";
import { stricterMode } from "../../core/stricter-mode.ts";
import { toolsForAgent } from "../../core/tools-for-agent.ts";
import { withinCeilings } from "../../core/within-ceilings.ts";
import { resolveStatePaths } from "../../platform/state-paths.ts";
import { loadAgentDefinitions } from "../../runtime/agents/load-agent-definitions.ts";
import { problemLine } from "../../runtime/agents/problem-line.ts";
import type { InlineAgents, RunAgent } from "../../runtime/run-request.ts";
import type { SavedRunSettings } from "../../runtime/saved-run-settings.ts";
import { TOOL_NAMES } from "../../tools/tool-names.ts";
import { readInlineAgents } from "../agents/read-inline-agents.ts";
import type { CliIo } from "../command.ts";
import type { ResolvedLimits } from "./resolve-limits.ts";

type Limits = ResolvedLimits["limits"];

/** What a run is to be besides what its flags say of it. */
export interface ChosenAgent {
  readonly agent?: RunAgent;
  /** Definitions for this run alone. */
  readonly inlineAgents?: InlineAgents;
  /** An id or an alias, where the definition names one. */
  readonly model?: string;
  /** Where the definition says how much. */
  readonly thinking?: Thinking;
  /** Those of the run and of its agent: of two the stricter one. */
  readonly limits: Limits;
  /** What is doubtful in the definitions that are used. */
  readonly warnings: readonly string[];
}

/** A root agent may always start others. */
const ROOT = { depth: 0, depthMax: 1, isBackground: false } as const;

/**
 * Finds the agent that a run is to be: by its name, or the one that the conversation began with.
 *
 * Throws an `AppError` of reason `usage` for a name that has no definition, and for inline ones with an error.
 *
 * @param params.saved how the conversation was run before
 */
export function resolveAgent(
  { name, inline }: { readonly name: string | undefined; readonly inline: string | undefined },
  { cwd, io, limits, saved }: { readonly cwd: string; readonly io: CliIo; readonly limits: Limits; readonly saved: SavedRunSettings | undefined },
): ChosenAgent {
  const inlineAgents = inline === undefined ? saved?.inlineAgents : readInlineAgents(inline);
  const kept = inlineAgents === undefined ? {} : { inlineAgents };
  if (name === undefined && inline === undefined) return { ...kept, ...asAgent(saved?.agent, limits), warnings: [] };

  const definitions = loadAgentDefinitions({ cwd, config: resolveStatePaths(io.env).config, home: io.env["HOME"] || homedir(), inline: inlineAgents });
  const { problems } = definitions;
  const isInline = ({ file }: { readonly file: string }) => file === inlineAgents?.origin;
  const broken = problems.filter((problem) => isInline(problem) && problem.level === "error").map(({ line, message }) => `line ${line}: ${message}`);
  if (broken.length > 0) throw new AppError("usage", `Cannot use the agents of "${inlineAgents?.origin ?? ""}": ${broken.join("; ")}`, { code: "invalid_agent" });
  const definition = name === undefined ? undefined : definitions.find(name);
  if (name !== undefined && definition === undefined) throw new AppError("usage", definitions.explainMissing(name), { code: "unknown_agent" });

  const warnings = problems.filter((problem) => problem.level === "warning" && (isInline(problem) || problem.file === definition?.file)).map(problemLine);
  const agent = definition === undefined ? saved?.agent : rootAgent(definition, io.env);
  const { model = "inherit", thinking = "inherit" } = definition ?? {};
  return { ...kept, ...asAgent(agent, limits), ...(model === "inherit" ? {} : { model }), ...(thinking === "inherit" ? {} : { thinking }), warnings };
}

function asAgent(agent: RunAgent | undefined, limits: Limits): Pick<ChosenAgent, "agent" | "limits"> {
  if (agent === undefined) return { limits };
  const { ceilings } = agent;
  return { agent, limits: { ...withinCeilings(limits, ceilings).limits, permissionMode: stricterMode(limits.permissionMode, ceilings.permissionMode) } };
}

function rootAgent(definition: AgentDefinition, env: CliIo["env"]): RunAgent {
  const { name, prompt, permissionMode, maxTurns, timeoutMs, maxBudgetUsd, maxTokens } = definition;
  return {
    name,
    prompt,
    tools: toolsForAgent(definition, { toolNames: TOOL_NAMES, ...ROOT }),
    omitsProjectInstructions: hasSlimmedContext(definition, env),
    ceilings: {
      ...(permissionMode === undefined ? {} : { permissionMode }),
      ...(maxTurns === undefined ? {} : { turnsMax: maxTurns }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(maxBudgetUsd === undefined ? {} : { budgetUsdMax: maxBudgetUsd }),
      ...(maxTokens === undefined ? {} : { budgetTokensMax: maxTokens }),
    },
  };
}
