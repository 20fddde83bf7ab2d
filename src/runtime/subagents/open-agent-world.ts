import { homedir } from "node:os";
import type { AgentWork, RunRequest } from "../run-request.ts";
import { createSemaphore } from "../../lib/semaphore.ts";
import type { ModelClient } from "../../model/client.ts";
import { pacedModel } from "../../model/paced-model.ts";
import type { AgentLauncher } from "../../tasks/local_agent/index.ts";
import { createAgentTool } from "../../tools/agent.ts";
import { createSendMessageTool } from "../../tools/send-message.ts";
import { getAllTools } from "../../tools/registry.ts";
import { loadAgentDefinitions } from "../agents/load-agent-definitions.ts";
import type { AgentWorld } from "./agent-world.ts";
import { loadSubagents } from "./registry.ts";

/** What the root agent of a run brings to the world that all its agents share. */
export interface AgentWorldParams extends Omit<AgentWorld, "definitions" | "tools" | "model" | "openModel" | "fallbacks" | "loop" | "prices" | "limits" | "subagents"> {
  readonly request: RunRequest;
  readonly work: AgentWork;
  /** The user's `config.jsonc`. */
  readonly config: string;
  /** Opens a model by id or alias. */
  readonly open: (model: string) => Promise<ModelClient>;
  readonly limits: { readonly query: AgentWorld["limits"]; readonly watchModel: (model: ModelClient) => ModelClient };
}

/**
 * Makes what all agents of a run have in common, with the definitions that hold where it works. What starts an agent is
 * loaded with the first that is started.
 */
export function openAgentWorld(params: AgentWorldParams): AgentWorld {
  const { request, work, config, open, limits, env, ...shared } = params;
  const { subagents } = work;
  const definitions = loadAgentDefinitions({ cwd: request.cwd, config, home: env["HOME"] || homedir(), inline: work.inlineAgents });
  const pace = createSemaphore(subagents.concurrencyMax);
  const openModel = async (model: string) => limits.watchModel(pacedModel(await open(model), pace, subagents.concurrencyMax));
  let loaded: Promise<Pick<AgentLauncher, "start" | "send">> | undefined;
  const load = () => (loaded ??= loadSubagents().then(({ createAgentLauncher }) => createAgentLauncher(world)));
  const launcher: AgentLauncher = {
    definitions,
    isForkEnabled: subagents.isForkEnabled,
    isBackgroundEnabled: subagents.isBackgroundEnabled,
    start: async (start, parent) => await (await load()).start(start, parent),
    send: async (message, sender) => await (await load()).send(message, sender),
  };
  const tools = subagents.depthMax === 0 || subagents.countMax === 0 ? getAllTools() : [...getAllTools(), createAgentTool(launcher), createSendMessageTool(launcher)];
  const world: AgentWorld = {
    ...shared,
    env,
    definitions,
    tools,
    model: work.model,
    openModel,
    fallbacks: (work.fallbackModels ?? []).map((fallback) => () => openModel(fallback)),
    limits: limits.query,
    loop: { turnsMax: work.turnsMax, outputTokensMax: work.outputTokensMax, attemptsMax: work.apiAttemptsMax },
    prices: work.prices ?? {},
    subagents,
  };
  return world;
}
