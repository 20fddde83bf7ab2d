import type { AgentEvent } from "../core/agent.ts";
import { AppError } from "../core/errors.ts";
import type { McpConnections } from "../core/mcp-server.ts";
import type { StructuredAnswer } from "../core/structured-answer.ts";
import type { TaskHost } from "../core/task-host.ts";
import type { TaskId } from "../core/task.ts";
import { openModel } from "../model/registry.ts";
import { resolveRealPath } from "../platform/resolve-real-path.ts";
import { resolveStatePaths } from "../platform/state-paths.ts";
import { createPermissionAsking } from "./asking/ask-permission.ts";
import { openConversation } from "./agent-conversation.ts";
import { runAgentSession } from "./agent-session.ts";
import { createPermissionGrants } from "./asking/permission-grants.ts";
import { startRunLimits } from "./limits/run-limits.ts";
import { createPermissionCheck } from "./permission-check.ts";
import type { RootInput } from "./root-input.ts";
import { NO_WORK, runError, type RunOutcome } from "./run-outcome.ts";
import type { RootWorkParams, WakeAgent } from "./root-work.ts";
import { runStopOf, stopError, type AgentWork, type RunRequest } from "./run-request.ts";
import { loadStructuredOutput } from "./structured/registry.ts";
import type { AgentWorld } from "./subagents/agent-world.ts";
import { loadAgentServers } from "./subagents/registry.ts";
import { openAgentWorld } from "./subagents/open-agent-world.ts";
import { createTreeTotals } from "./tree-totals.ts";

/** What whoever watches takes for the words and turns of the root. */
const OF_THE_ROOT: ReadonlySet<AgentEvent["type"]> = new Set(["turn_start", "text_delta", "message_completed"]);

/** Opens the model and the conversation of the root agent and lets it do its work. Expected failures are outcomes. */
export async function runAgentRoot(params: AgentRootParams): Promise<RunOutcome> {
  const outcome = await converse(params).catch((error: unknown): RunOutcome => {
    if (!(error instanceof AppError)) throw error;
    return { ...NO_WORK, reason: error.reason, error: runError(error.code, error.message) };
  });
  return params.cassette?.outcome(outcome) ?? outcome;
}

interface AgentRootParams extends RootWorkParams {
  readonly work: AgentWork;
  readonly taskId: TaskId;
  readonly input: RootInput;
  /** The doors into the conversations of all agents of the run. */
  readonly inputs: Map<TaskId, RootInput>;
  /** Present where the answer has to fit a schema. */
  readonly answer?: StructuredAnswer;
  /** Called once other agents of the conversation can be woken from outside. */
  readonly onReachable: (wake: WakeAgent) => void;
}

async function converse({ run, work, taskId, request, env, controller, observer, input, inputs, answer, askUser, cassette, onReachable, interruptSignal }: AgentRootParams): Promise<RunOutcome> {
  const tape = cassette?.agent({ path: "root", taskId, host: run.host, controller });
  const { host } = tape ?? run;
  const openReal = (model: string) => openModel({ model, env, cwd: request.cwd, aliases: work.modelAliases ?? {} });
  const paths = resolveStatePaths(env);
  const grants = createPermissionGrants(work.rules);
  const permissionCheck = createPermissionCheck({
    grants,
    protectedPaths: [paths.config, paths.state],
    readable: [resolveRealPath(run.session.results.path)],
    searchPath: host.childEnv["PATH"],
  });
  const limits = await startRunLimits({ run: { host, warn: run.warn }, taskId, request, work, controller });
  const { onAgentEvent: tell = () => undefined } = observer;
  const onAgentEvent = (event: AgentEvent) => limits.onAgentEvent(event, tell);
  const onSubagentEvent = (event: AgentEvent) => limits.onAgentEvent(event, OF_THE_ROOT.has(event.type) ? () => undefined : tell);
  const asking = askUser === undefined ? undefined : createPermissionAsking({ askUser: (question, signal) => limits.whileAsking(() => askUser(question, signal)), grants, userSettingsFile: paths.config, warn: run.warn });
  try {
    const world = await openAgentWorld({ run, request, work, env, config: paths.config, open: openReal, limits, limitCalls: limits.limitCalls, onSubagentEvent, permissionCheck, ...(asking === undefined ? {} : { askPermission: asking }), totals: createTreeTotals(), inputs });
    const open = (model: string) => tape?.openModel(model, () => world.openModel(model)) ?? world.openModel(model);
    const model = await open(work.model);
    const conversation = await openConversation({ run, taskId, request, work, input: tape?.input(input) ?? input });
    const { outputSchema: schema } = work;
    const structured = schema === undefined || answer === undefined ? undefined : (await loadStructuredOutput()).createStructuredOutput({ schema, answer, agentId: taskId, input });
    let servers: McpConnections | undefined;
    try {
      servers = await serversOf(work, world, { request, host, isTaped: tape !== undefined, signal: AbortSignal.any([controller.signal, ...(interruptSignal === undefined ? [] : [interruptSignal])]) });
      const outcome = await runAgentSession({
        agentId: taskId,
        request,
        work,
        world,
        model,
        limits,
        host,
        ...(tape === undefined ? {} : { tape }),
        conversation,
        serverTools: servers?.tools,
        input,
        fallbacks: (work.fallbackModels ?? []).map((fallback) => () => open(fallback)),
        onAgentEvent,
        onContext: (context) => onReachable((id, message) => world.wake(id, message, context)),
        ...(structured === undefined ? {} : { structured }),
        signal: controller.signal,
      });
      return interruptSignal?.aborted === true ? interrupted(outcome, interruptSignal) : outcome;
    } finally {
      conversation.close();
      await servers?.close();
    }
  } finally {
    limits.end();
  }
}

/** An answer that was given before still stands; that its run was to go on is not said by it. */
function interrupted(outcome: RunOutcome, { reason: abortReason }: AbortSignal): RunOutcome {
  const { reason, message } = runStopOf(abortReason);
  return outcome.reason === "ok" ? { ...outcome, reason, error: runError(reason, message) } : outcome;
}

/** Those of its definition, as it stands now: a transcript says nothing of them, for they may hold keys. */
async function serversOf(
  { agent }: AgentWork,
  world: AgentWorld,
  { request: { cwd }, host, isTaped, signal }: { readonly request: RunRequest; readonly host: TaskHost; readonly isTaped: boolean; readonly signal: AbortSignal },
): Promise<McpConnections | undefined> {
  const definition = agent === undefined ? undefined : world.definitions.find(agent.name);
  if (definition?.mcpServers === undefined) return undefined;
  if (isTaped) {
    throw new AppError("usage", `Cannot record or replay agent "${definition.name}": what its MCP servers are and say is no part of a recording`, { code: "contradiction" });
  }
  const { openAgentServers } = await loadAgentServers();
  return await openAgentServers(definition, { context: { cwd, host }, world, signal }).catch((error: unknown) => {
    throw signal.aborted ? stopError(signal) : error;
  });
}
