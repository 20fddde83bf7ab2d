import { isForkHistory } from "../../agent/fork-history.ts";
import type { AgentContext, Tool } from "../../core/agent.ts";
import { AppError } from "../../core/errors.ts";
import { isMcpTool } from "../../core/mcp-tool-name.ts";
import type { TaskId } from "../../core/task.ts";
import type { Worktree } from "../../core/worktree.ts";
import { registerTask } from "../../engine/register-task.ts";
import { isolatedDirectories } from "../../engine/worktree/isolated-directories.ts";
import { loadIsolation } from "../../engine/worktree/registry.ts";
import { createWithFreshId } from "../../store/create-with-fresh-id.ts";
import type { AgentLauncher, AgentStart, StartedAgent } from "../../tasks/local_agent/index.ts";
import { problemLine } from "../agents/problem-line.ts";
import type { AgentWorld } from "./agent-world.ts";
import { endWork } from "./end-work.ts";
import { firstWords } from "./first-words.ts";
import { messageAgent } from "./message-agent.ts";
import { wakeForUser } from "./wake-for-user.ts";
import { runSubagent } from "./run-subagent.ts";
import { savedSubagent } from "./saved-subagent.ts";
import { openSidechain } from "./sidechain.ts";
import { contextInPlace } from "./subagent-place.ts";
import { subagentRecord } from "./subagent-record.ts";
import { subagentSpec } from "./subagent-spec.ts";

/** What starts the agents of a run and wakes them. */
export interface AgentStarter extends Pick<AgentLauncher, "start" | "send"> {
  readonly wake: AgentWorld["wake"];
}

export function createAgentLauncher(world: AgentWorld): AgentStarter {
  let started = 0;
  const warnOnce = doubtsTeller(world);
  return {
    async start(request, parent) {
      refuseBeyondLimits(request, parent, world);
      if (started >= world.subagents.countMax) throw new AppError("failed", `Cannot start another agent: the run has started ${started}, which is the most it may. Do not try again: do the work yourself`, { code: "agent_limit" });
      started++;
      warnOnce(request.definition);
      try {
        return await startSubagent(request, parent, world);
      } catch (error) {
        started--;
        throw error;
      }
    },
    send: (message, sender) => messageAgent(message, sender, world),
    wake: (id, message, root) => wakeForUser(id, message, { root, world }),
  };
}

/** Says once of each definition that is used what is doubtful in it. */
function doubtsTeller({ definitions, run }: AgentWorld): (definition: AgentStart["definition"]) => void {
  const told = new Set<string>();
  return (definition) => {
    if (definition === "fork" || told.has(definition.name)) return;
    told.add(definition.name);
    const { name, file } = definition;
    for (const problem of definitions.problems) if (problem.name === name && problem.file === file && problem.level === "warning") run.warn(problemLine(problem));
  };
}

function refuseBeyondLimits({ definition, name }: AgentStart, parent: AgentContext, world: AgentWorld): void {
  const { messages = [] } = parent.scene?.() ?? {};
  // Twice over: the role may be that of an agent that was read back, and the conversation may have been shortened.
  if (parent.role === "fork" || isForkHistory(messages)) throw new AppError("usage", "Cannot start an agent: a fork does its work itself", { code: "fork_recursion" });
  if (parent.depth >= world.subagents.depthMax) throw new AppError("failed", `Cannot start an agent: agents are nested ${parent.depth} deep already, which is the most. Do not try again: do the work yourself`, { code: "depth_limit" });
  const isTaken = name !== undefined && Object.values(parent.host.getAppState().tasks).some((task) => task.name === name && world.inputs.has(task.id));
  if (isTaken) throw new AppError("conflict", `Cannot start an agent named "${name}": one of that name works already`, { code: "name_taken" });
  if (definition === "fork" && parent.scene === undefined) throw new AppError("internal", "A fork needs a conversation to begin with");
}

async function startSubagent(request: AgentStart, parent: AgentContext, world: AgentWorld): Promise<StartedAgent> {
  refuseWhenStopped(request.signal);
  const { definition, isBackgrounded, signal } = request;
  const scene = parent.scene?.() ?? { system: [], tools: [], messages: [] };
  const role = definition === "fork" ? "fork" : "subagent";
  const spec = subagentSpec({
    definition,
    scene,
    // The servers of whoever starts it are its own as well.
    allTools: [...world.tools, ...scene.tools.filter(({ name }) => isMcpTool(name))],
    parentMode: parent.permissionMode,
    parentModel: modelOf(parent, world),
    depth: parent.depth + 1,
    depthMax: world.subagents.depthMax,
    isBackgrounded,
    model: request.model,
    turnsMax: request.turnsMax,
  });
  const id = newAgentId(world);
  const worktree = await isolate(id, request, parent, world);
  try {
    const { cwd, directories } = worktree === undefined ? parent : { cwd: worktree.cwdInside, directories: isolatedDirectories(parent.directories, worktree) };
    const context = contextInPlace(id, { parent, world, role, place: { cwd, directories, mode: spec.permissionMode }, isBackgrounded });
    const { system, inherited, prompt } = firstWords({ request, scene, context, world, worktree });
    const { tools, turnsMax, timeoutMs, budget, modeMax, thinking, model = world.model } = spec;
    const started = (all: readonly Tool[]) => savedSubagent({ role, agentType: spec.type, model, permissionMode: spec.permissionMode, depth: context.depth, cwd, directories, system, toolNames: all.map(({ name }) => name), turnsMax, timeoutMs, budget, modeMax, thinking });
    // It may have been stopped while its worktree was made.
    refuseWhenStopped(signal);
    // Once it is on record nothing may fail any more but what the agent itself is then said to have failed of.
    await registerTask(subagentRecord(id, { request, parent, spec, world, worktree }), parent.host, { durable: isBackgrounded });
    return runSubagent(
      { context, definition: definition === "fork" ? undefined : definition, model, thinking, tools, system, turnsMax, timeoutMs, budget, gate: role === "fork" ? world.gateOf(scene) : undefined, isBackgrounded, signal, openSidechain: (_input, all) => openSidechain({ run: world.run, id, started: started(all), entries: [], inherited, prompt, deliveryIds: [] }) },
      world,
    );
  } catch (error) {
    if (worktree !== undefined) await endWork(worktree, world.run);
    throw error;
  }
}

/** Whoever stopped the turn does not want anything to begin in it. */
function refuseWhenStopped(signal: AbortSignal): void {
  if (signal.aborted) throw new AppError("failed", "Cannot start an agent: the turn was stopped", { code: "turn_stopped" });
}

/** The model that an agent was started with. */
function modelOf({ agentId, host }: AgentContext, world: AgentWorld): string {
  const model = host.getAppState().tasks[agentId]?.detail["model"];
  return typeof model === "string" ? model : world.model;
}

function newAgentId({ run }: AgentWorld): TaskId {
  return createWithFreshId("local_agent", (id) => {
    run.host.outputs.link(id, run.session.subagentTranscriptPath(id));
    return id;
  });
}

/** A copy of the repository for an agent that is to have one. Where there can be none the agent is not started: it never works in the original instead. */
async function isolate(id: TaskId, { isolation, signal }: AgentStart, { cwd, host }: AgentContext, { run }: AgentWorld): Promise<Worktree | undefined> {
  if (isolation === "none") return undefined;
  const { isolateTask } = await loadIsolation();
  const { worktree, warnings } = await isolateTask({ id, cwd, baseRef: undefined, carriesChanges: false }, host, signal);
  for (const warning of warnings) run.warn(`Agent ${id}: ${warning}`);
  return worktree;
}
