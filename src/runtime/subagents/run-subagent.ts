import type { TurnInput } from "../../agent/turn-input.ts";
import type { AgentContext, Tool } from "../../core/agent.ts";
import type { AgentDefinition } from "../../core/agent-definition.ts";
import type { Thinking } from "../../core/thinking.ts";
import type { BudgetLimits } from "../../core/token-budget.ts";
import { rememberEffect } from "../../engine/running-effect.ts";
import { startActiveTimer } from "../../lib/active-timer.ts";
import type { PrefixGate } from "../../model/prefix-gate.ts";
import type { StartedAgent } from "../../tasks/local_agent/index.ts";
import { toolDefinitions } from "../../tools/tool-definitions.ts";
import { createRootInput } from "../root-input.ts";
import { STOPPED_ON_REQUEST, type RunStop } from "../run-request.ts";
import { workingState } from "../working-state.ts";
import { createAgentBudget, type AgentBudget } from "./agent-budget.ts";
import { openAgentServers } from "./agent-servers.ts";
import type { AgentWorld } from "./agent-world.ts";
import { liveSubagent } from "./live-subagent.ts";
import type { Sidechain } from "./sidechain.ts";

/** A subagent that is on record and about to work. */
export interface Subagent {
  readonly context: AgentContext;
  /** What it was made by; undefined for a fork, and where there is none of the name any more. */
  readonly definition: AgentDefinition | undefined;
  /** By id or alias. */
  readonly model: string;
  readonly thinking: Thinking | undefined;
  readonly tools: readonly Tool[];
  readonly system: readonly string[];
  /** Not more than that of the run. */
  readonly turnsMax: number | undefined;
  readonly timeoutMs: number | undefined;
  /** Its own, within that of whoever started it. */
  readonly budget: BudgetLimits | undefined;
  /** Of a fork: that of its siblings. */
  readonly gate?: PrefixGate | undefined;
  readonly isBackgrounded: boolean;
  /** Of the call that waits for it. */
  readonly signal: AbortSignal;
  /** Begins its transcript or goes on with it. Gets all tools that it has, those of its servers too. */
  readonly openSidechain: (input: TurnInput, tools: readonly Tool[]) => Promise<Sidechain>;
}

/** How long a subagent waits at its end for the agents that it has started itself. */
const DRAIN_TIMEOUT_MS = 600_000;

/** Lets a subagent work, so that messages reach it and it can be stopped. Its own task, and nobody else's, ends with it. */
export function runSubagent(agent: Subagent, world: AgentWorld): StartedAgent {
  const { context, isBackgrounded, timeoutMs } = agent;
  const { agentId: id, host } = context;
  const controller = new AbortController();
  // One that is waited for ends with whoever waits; one in the background only when it is stopped itself.
  const signal = isBackgrounded ? controller.signal : AbortSignal.any([controller.signal, agent.signal]);
  // Who waits for an agent that is interrupted hears what there is of its work.
  const input = createRootInput({ agentId: id, run: world.run, signal, policy: { onEnd: "wait", drainTimeoutMs: DRAIN_TIMEOUT_MS }, scope: "own", ...(isBackgrounded ? {} : { interruptedWaitMs: 0 }) });
  world.inputs.set(id, input);
  const budget = budgetOf(agent, world);
  if (budget !== undefined) world.budgets.set(id, budget);
  let isBeingStopped = false;
  const finished = Promise.withResolvers<void>();
  const stop = () => {
    isBeingStopped = true;
    controller.abort(STOPPED_ON_REQUEST);
    return finished.promise;
  };
  rememberEffect(id, { stop }, host.setAppState);
  const disarm = timeoutMs === undefined ? undefined : startActiveTimer({ limitMs: timeoutMs, activeMs: world.run.clock.activeMs, onDue: () => controller.abort(timeoutStop(timeoutMs)) });
  const end = liveSubagent({
    world,
    context,
    isBackgrounded,
    signal,
    isBeingStopped: () => isBeingStopped,
    async prepare() {
      const opened = await world.openModel(agent.model);
      const model = agent.gate?.pass(opened) ?? opened;
      const servers = await openAgentServers(agent.definition, { context, world, signal });
      try {
        const tools = withServerTools(agent.tools, servers.tools);
        const sidechain = await agent.openSidechain(input, tools);
        const close = async () => {
          sidechain.close();
          await servers.close();
        };
        return { close, loop: { ...loopOf(agent, tools, world), ...sidechain, model, input, signal } };
      } catch (error) {
        await servers.close();
        throw error;
      }
    },
  }).finally(() => {
    disarm?.();
    world.budgets.delete(id);
    if (world.inputs.get(id) === input) world.inputs.delete(id);
    finished.resolve();
  });
  // Whoever waits is told; of one in the background a failure to record its end is one of the run.
  if (isBackgrounded) end.catch((error: unknown) => world.run.warn(`The end of agent ${id} could not be recorded: ${String(error)}`));
  return { id, outputFile: host.outputs.path(id), finished: end };
}

/** Its own within that of whoever started it, or that alone; undefined where only the run has one. */
function budgetOf({ context: { agentId: id, host }, budget: limits }: Subagent, { budgets, limits: { budget: ofRun }, prices }: AgentWorld): AgentBudget | undefined {
  const { parentTaskId } = host.getAppState().tasks[id] ?? {};
  const above = parentTaskId === undefined ? undefined : budgets.get(parentTaskId);
  return limits === undefined ? above : createAgentBudget({ limits, prices, outer: above ?? ofRun });
}

/** A server of its own goes before one of whoever started it that has the same name. */
function withServerTools(tools: readonly Tool[], own: readonly Tool[]): readonly Tool[] {
  const names = new Set(own.map(({ name }) => name));
  return own.length === 0 ? tools : [...tools.filter(({ name }) => !names.has(name)), ...own];
}

function loopOf({ context, system, turnsMax, thinking }: Subagent, tools: readonly Tool[], world: AgentWorld) {
  const { fallbacks, limits, limitCalls, loop } = world;
  const budget = world.budgets.get(context.agentId);
  return {
    context,
    fallbacks,
    ...limits,
    ...(budget === undefined ? {} : { budget }),
    ...limitCalls(),
    ...loop,
    ...(thinking === undefined ? {} : { thinking }),
    turnsMax: Math.min(turnsMax ?? loop.turnsMax, loop.turnsMax),
    system,
    tools,
    toolDefinitions: toolDefinitions(tools),
    workingState: () => workingState(context),
    stopOnDenial: false,
  };
}

function timeoutStop(timeoutMs: number): RunStop {
  return { reason: "timeout", message: `Stopped: the agent took longer than the ${timeoutMs / 1_000} s of its definition` };
}
