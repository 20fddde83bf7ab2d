import type { AgentContext, AgentEvent, StopReason, Todo, Tool } from "../core/agent.ts";
import { AppError } from "../core/errors.ts";
import { createReadFileState } from "../core/read-file-state.ts";
import type { TaskHost } from "../core/task-host.ts";
import type { TaskId } from "../core/task.ts";
import type { ModelClient } from "../model/client.ts";
import type { QueryParams } from "../agent/loop-params.ts";
import { query } from "../agent/query.ts";
import type { TurnInput } from "../agent/turn-input.ts";
import { decidePermission } from "../permissions/decide.ts";
import { isSearchPathFixed } from "../permissions/search-path.ts";
import { getAllTools } from "../tools/registry.ts";
import { toolDefinitions } from "../tools/tool-definitions.ts";
import type { AgentConversation } from "./agent-conversation.ts";
import { createAgentReport, type AgentReport } from "./agent-report.ts";
import type { AgentTape } from "./cassette/run-cassette.ts";
import { workingState } from "./working-state.ts";
import { exitForStop, runError, type RunOutcome } from "./run-outcome.ts";
import type { AskPermission } from "./asking/ask-permission.ts";
import type { PermissionGrants } from "./asking/permission-grants.ts";
import type { RunLimits } from "./limits/run-limits.ts";
import type { AgentWork, RunRequest } from "./run-request.ts";
import type { StructuredOutput } from "./structured/structured-output.ts";

export interface AgentSessionParams {
  readonly agentId: TaskId;
  readonly request: RunRequest;
  readonly work: AgentWork;
  readonly model: ModelClient;
  /** Open the models to turn to. */
  readonly fallbacks: readonly (() => Promise<ModelClient>)[];
  readonly limits: RunLimits;
  readonly host: TaskHost;
  /** Present where the run is recorded or replayed. */
  readonly tape?: AgentTape;
  readonly conversation: AgentConversation;
  readonly input: TurnInput;
  readonly onAgentEvent: (event: AgentEvent) => Promise<void> | void;
  /** The rules that hold, as they come to hold. */
  readonly grants: PermissionGrants;
  readonly askPermission?: AskPermission;
  /** Present where the answer has to fit a schema. */
  readonly structured?: StructuredOutput;
  /** Absolute paths that no mode makes free to write: the user's settings and the state folder. */
  readonly protectedPaths: readonly string[];
  readonly signal: AbortSignal;
}

/** Drives the root agent of a run from its prompt to its end, and says what it came to. */
export async function runAgentSession(params: AgentSessionParams): Promise<RunOutcome> {
  const { work, host, structured } = params;
  const report = createAgentReport({ agentId: params.agentId, host, prices: work.prices ?? {} });
  const tools = [...ownTools(work), ...(structured === undefined ? [] : [structured.tool])];
  const settle = (outcome: RunOutcome) => structured?.settle(outcome, report.lastText()) ?? outcome;
  try {
    const context = rootContext(params);
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
      turnsMax: work.turnsMax,
      outputTokensMax: work.outputTokensMax,
      attemptsMax: work.apiAttemptsMax,
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

function ownTools({ agent }: AgentWork): Tool[] {
  return getAllTools().filter(({ name }) => agent === undefined || agent.tools.includes(name));
}

function rootContext({ agentId, request, work, host, grants, askPermission, conversation, protectedPaths }: AgentSessionParams): AgentContext {
  let todos: readonly Todo[] = [];
  const context: AgentContext = {
    agentId,
    role: "root",
    depth: 0,
    permissionMode: work.permissionMode,
    cwd: request.cwd,
    directories: request.directories,
    readFileState: createReadFileState(),
    todos: {
      get: () => todos,
      set(replacement) {
        todos = replacement;
      },
    },
    host,
    checkPermission: (tool, access) =>
      decidePermission({
        tool: tool.name,
        access,
        isReadOnly: tool.isReadOnly(access, context),
        context: { mode: work.permissionMode, rules: grants.rules(), directories: request.directories, readable: [conversation.resultsPath] },
        cwd: request.cwd,
        protectedPaths,
        isSearchPathFixed: isSearchPathFixed(host.childEnv["PATH"]),
      }),
    ...(askPermission === undefined ? {} : { askPermission: (question) => askPermission(question, context.checkPermission) }),
  };
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
  return { ...report.totals(), ...exitForStop(stop, { wasDeniedLast: report.wasDeniedLast(), waitMsMax }), text };
}
