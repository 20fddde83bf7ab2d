import { homedir } from "node:os";
import type { RunLimits } from "../limits/run-limits.ts";
import type { AgentWork, RunRequest } from "../run-request.ts";
import { createSemaphore } from "../../lib/semaphore.ts";
import type { ModelClient } from "../../model/client.ts";
import { pacedModel } from "../../model/paced-model.ts";
import type { AgentLauncher } from "../../tasks/local_agent/index.ts";
import { getAllTools } from "../../tools/registry.ts";
import { definitionsHere } from "../agents/definitions-here.ts";
import { isToolOfRun } from "../tools-of-run.ts";
import type { AgentWorld } from "./agent-world.ts";
import type { AgentStarter } from "./launch-agent.ts";
import { loadSubagents } from "./registry.ts";
import { createSiblingGates } from "./sibling-gates.ts";

/** What the root agent of a run brings to the world that all its agents share. */
export interface AgentWorldParams extends Omit<AgentWorld, "definitions" | "tools" | "model" | "openModel" | "fallbacks" | "loop" | "prices" | "limits" | "budgets" | "subagents" | "gateOf" | "wake"> {
  readonly request: RunRequest;
  readonly work: AgentWork;
  /** The user's `config.jsonc`. */
  readonly config: string;
  /** Opens a model by id or alias. */
  readonly open: (model: string) => Promise<ModelClient>;
  readonly limits: Pick<RunLimits, "query" | "watchModel">;
}

/**
 * Makes what all agents of a run have in common, with the definitions that hold where it works. What starts an agent is
 * loaded with the first that is started.
 */
export async function openAgentWorld(params: AgentWorldParams): Promise<AgentWorld> {
  const { request, work, config, open, limits, env, ...shared } = params;
  const { subagents } = work;
  // The hint how much the whole work may take is for the root.
  const { taskBudgetTokens: _taskBudget, ...limitsOfEach } = limits.query;
  const definitions = await definitionsHere({ cwd: request.cwd, config, home: env["HOME"] || homedir(), inline: work.inlineAgents });
  const pace = createSemaphore(subagents.concurrencyMax);
  const openModel = async (model: string) => limits.watchModel(pacedModel(await open(model), pace, subagents.concurrencyMax));
  let loaded: Promise<AgentStarter> | undefined;
  const load = () => (loaded ??= loadSubagents().then(({ createAgentLauncher }) => createAgentLauncher(world)));
  const launcher: AgentLauncher = {
    definitions,
    isForkEnabled: subagents.isForkEnabled,
    isBackgroundEnabled: subagents.isBackgroundEnabled,
    start: async (start, parent) => await (await load()).start(start, parent),
    send: async (message, sender) => await (await load()).send(message, sender),
  };
  const tools = getAllTools(launcher).filter(({ name }) => isToolOfRun(name, work));
  const world: AgentWorld = {
    ...shared,
    env,
    definitions,
    tools,
    model: work.model,
    openModel,
    fallbacks: (work.fallbackModels ?? []).map((fallback) => () => openModel(fallback)),
    limits: limitsOfEach,
    loop: { turnsMax: work.turnsMax, outputTokensMax: work.outputTokensMax, attemptsMax: work.apiAttemptsMax },
    prices: work.prices ?? {},
    budgets: new Map(),
    subagents,
    gateOf: createSiblingGates(),
    wake: async (id, message, root) => await (await load()).wake(id, message, root),
  };
  return world;
}
