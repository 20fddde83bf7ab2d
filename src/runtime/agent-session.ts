import type { AgentContext, AgentEvent, StopReason, Todo, Tool } from "../core/agent.ts";
import { AppError } from "../core/errors.ts";
import { createMovablePlace } from "../core/movable-place.ts";
import { createReadFileState } from "../core/read-file-state.ts";
import type { TaskHost } from "../core/task-host.ts";
import type { TaskId } from "../core/task.ts";
import type { ModelClient } from "../model/client.ts";
import type { QueryParams } from "../agent/loop-params.ts";
import { query } from "../agent/query.ts";
import type { TurnInput } from "../agent/turn-input.ts";
import { toolDefinitions } from "../tools/tool-definitions.ts";
import type { AgentConversation } from "./agent-conversation.ts";
import { createAgentReport, type AgentReport } from "./agent-report.ts";
import type { AgentTape } from "./cassette/run-cassette.ts";
import { workingState } from "./working-state.ts";
import { exitForStop, runError, type RunOutcome } from "./run-outcome.ts";
import type { RunLimits } from "./limits/run-limits.ts";
import type { AgentWork, RunRequest } from "./run-request.ts";
import type { AgentWorld } from "./subagents/agent-world.ts";
import type { StructuredOutput } from "./structured/structured-output.ts";

export interface AgentSessionParams {
  readonly agentId: TaskId;
  readonly request: RunRequest;
  readonly work: AgentWork;
  readonly world: AgentWorld;
  readonly model: ModelClient;
  readonly limits: RunLimits;
  readonly host: TaskHost;
  /** Present where the run is recorded or replayed. */
  readonly tape?: AgentTape;
  readonly conversation: AgentConversation;
  readonly input: TurnInput;
  /** Of the servers of the agent's definition. */
  readonly serverTools: readonly Tool[] | undefined;
  /** Open the models to turn to. */
  readonly fallbacks: NonNullable<QueryParams["fallbacks"]>;
  readonly onAgentEvent: (event: AgentEvent) => Promise<void> | void;
  /** Called with the context that the agent works in, before it does anything. */
  readonly onContext: (context: AgentContext) => void;
  /** Present where the answer has to fit a schema. */
  readonly structured?: StructuredOutput;
  readonly signal: AbortSignal;
}

/** Drives the root agent of a run from its prompt to its end, and says what it came to. */
export async function runAgentSession(params: AgentSessionParams): Promise<RunOutcome> {
  const { work, world, host, structured } = params;
  const report = createAgentReport({ agentId: params.agentId, isRoot: true, parentId: work.resume?.subagent?.parentTaskId ?? null, host, prices: world.prices, tree: world.totals });
  const tools = [...ownTools(params), ...(params.serverTools ?? []), ...(structured === undefined ? [] : [structured.tool])];
  // What the whole tree has used, not the root alone.
  const settle = (outcome: RunOutcome): RunOutcome => ({ ...(structured?.settle(outcome, report.lastText()) ?? outcome), ...world.totals.totals() });
  try {
    const context = rootContext(params);
    params.onContext(context);
    const loopParams: QueryParams = {
      context,
      workingState: () => workingState(context),
      model: params.model,
      fallbacks: params.fallbacks,
      ...params.limits.query,
      ...params.limits.limitCalls(),
      system: params.conversation.system,
      tools,
      toolDefinitions: toolDefinitions(tools),
      history: params.conversation.history,
      record: params.conversation.record,
      recordEdit: params.conversation.recordEdit,
      keepResult: params.conversation.keepResult,
      journal: params.conversation.journal,
      input: structured?.input ?? params.input,
      ...(structured === undefined ? {} : { answer: structured.answer }),
      ...world.loop,
      ...(work.thinking === undefined ? {} : { thinking: work.thinking }),
      stopOnDenial: work.stopOnDenial,
      signal: params.signal,
    };
    const loop = query(params.tape?.loop(loopParams) ?? loopParams);
    return settle(outcomeOf(await follow(loop, report, params.onAgentEvent), report, work));
  } catch (error) {
    // Only a conversation that cannot be recorded and defects come here; what was done so far is still reported.
    if (!(error instanceof AppError)) throw error;
    return settle({ ...report.totals(), reason: error.reason, text: report.lastText(), error: runError(error.code, error.message) });
  }
}

function ownTools({ world: { tools }, work: { agent } }: AgentSessionParams): readonly Tool[] {
  return tools.filter(({ name }) => agent === undefined || agent.tools.includes(name));
}

function rootContext({ agentId, request, work, host, world }: AgentSessionParams): AgentContext {
  let todos: readonly Todo[] = [];
  const { askPermission } = world;
  const place = createMovablePlace(request);
  const context: AgentContext = {
    agentId,
    role: work.resume?.subagent?.role ?? "root",
    depth: work.resume?.subagent?.depth ?? 0,
    permissionMode: work.permissionMode,
    place,
    get cwd() {
      return place.current().cwd;
    },
    get directories() {
      return place.current().directories;
    },
    readFileState: createReadFileState(),
    todos: {
      get: () => todos,
      set(replacement) {
        todos = replacement;
      },
    },
    host,
    checkPermission: (tool, access) => check(tool, access),
    ...(askPermission === undefined ? {} : { askPermission: (question) => askPermission(question, context.checkPermission) }),
  };
  const check = world.permissionCheck(() => context);
  return context;
}

async function follow(
  loop: AsyncGenerator<AgentEvent, StopReason>,
  report: AgentReport,
  onAgentEvent: AgentSessionParams["onAgentEvent"],
): Promise<StopReason> {
  let step = await loop.next();
  while (step.done !== true) {
    report.add(step.value);
    await onAgentEvent(step.value);
    step = await loop.next();
  }
  return step.value;
}

function outcomeOf(stop: StopReason, report: AgentReport, { waitMsMax }: AgentWork): RunOutcome {
  const text = stop.type === "end_turn" ? stop.text : report.lastText();
  return { ...report.totals(), ...exitForStop(stop, { wasDeniedLast: report.wasDeniedLast(), waitMsMax, turnsHint: "--max-turns allows more" }), text };
}
