import type { AgentContext, AgentEvent, StopReason, Todo } from "../core/agent.ts";
import { AppError } from "../core/errors.ts";
import type { Message, TextBlock } from "../core/message.ts";
import { createReadFileState } from "../core/read-file-state.ts";
import type { TaskHost } from "../core/task-host.ts";
import type { TaskId } from "../core/task.ts";
import type { ModelClient } from "../model/client.ts";
import { query } from "../agent/query.ts";
import { readProjectInstructions } from "../agent/project-instructions.ts";
import { renderSystemPrompt } from "../agent/system-prompt.ts";
import { decidePermission } from "../permissions/decide.ts";
import { getAllTools } from "../tools/registry.ts";
import { toolDefinitions } from "../tools/tool-definitions.ts";
import { createAgentReport, type AgentReport } from "./agent-report.ts";
import { exitForStop, runError, type RunOutcome } from "./run-outcome.ts";
import type { AgentWork, RunRequest } from "./run-request.ts";

export interface AgentSessionParams {
  readonly agentId: TaskId;
  readonly request: RunRequest;
  readonly work: AgentWork;
  readonly model: ModelClient;
  readonly host: TaskHost;
  /** Makes a message durable in the transcript. */
  readonly record: (message: Message) => Promise<void>;
  readonly onAgentEvent: (event: AgentEvent) => Promise<void> | void;
  /** Absolute paths that no mode makes free to write: the user's settings and the state folder. */
  readonly protectedPaths: readonly string[];
  readonly signal: AbortSignal;
}

/** Drives the root agent of a run from its prompt to its end, and says what it came to. */
export async function runAgentSession(params: AgentSessionParams): Promise<RunOutcome> {
  const { request, work, host } = params;
  const report = createAgentReport({ agentId: params.agentId, model: work.model, host });
  const prompt: Message = { role: "user", content: promptBlocks(request.cwd, work.prompt) };
  const tools = getAllTools();
  try {
    await params.record(prompt);
    const loop = query({
      context: rootContext(params),
      model: params.model,
      system: renderSystemPrompt({
        cwd: request.cwd,
        directories: request.directories,
        platform: process.platform,
        date: new Date(host.now()).toISOString().slice(0, 10),
        ...(work.systemPrompt === undefined ? {} : { override: work.systemPrompt }),
        ...(work.appendSystemPrompt === undefined ? {} : { append: work.appendSystemPrompt }),
      }),
      tools,
      toolDefinitions: toolDefinitions(tools),
      history: [prompt],
      record: params.record,
      turnsMax: work.turnsMax,
      outputTokensMax: work.outputTokensMax,
      attemptsMax: work.apiAttemptsMax,
      stopOnDenial: work.stopOnDenial,
      signal: params.signal,
    });
    return outcomeOf(await follow(loop, report, params.onAgentEvent), report);
  } catch (error) {
    // Only a conversation that cannot be recorded and defects come here; what was done so far is still reported.
    if (!(error instanceof AppError)) throw error;
    return { ...report.totals(), reason: error.reason, text: report.lastText(), error: runError(error.code, error.message) };
  }
}

function promptBlocks(cwd: string, prompt: string): TextBlock[] {
  const instructions = readProjectInstructions(cwd);
  const block: TextBlock = { type: "text", text: prompt.toWellFormed() };
  return instructions === undefined ? [block] : [{ type: "text", text: instructions }, block];
}

function rootContext({ agentId, request, work, host, protectedPaths }: AgentSessionParams): AgentContext {
  let todos: readonly Todo[] = [];
  const context: AgentContext = {
    agentId,
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
    checkPermission: (tool, access, input) =>
      decidePermission({
        tool: tool.name,
        access,
        isReadOnly: tool.isReadOnly(input, context),
        context: { mode: work.permissionMode, rules: work.rules, directories: request.directories },
        cwd: request.cwd,
        protectedPaths,
      }),
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

function outcomeOf(stop: StopReason, report: AgentReport): RunOutcome {
  const text = stop.type === "end_turn" ? stop.text : report.lastText();
  return { ...report.totals(), ...exitForStop(stop, report.wasDeniedLast()), text };
}
