import { z } from "zod";
import type { AgentContext, AgentEvent, StopReason, Tool } from "../../src/core/agent.ts";
import type { ContextEdit } from "../../src/core/context-edit.ts";
import type { Message } from "../../src/core/message.ts";
import { userText } from "../../src/core/message.ts";
import type { ToolAccess, Verdict } from "../../src/core/permission.ts";
import { createMovablePlace } from "../../src/core/movable-place.ts";
import { createReadFileState } from "../../src/core/read-file-state.ts";
import type { TaskId } from "../../src/core/task.ts";
import type { TurnInput } from "../../src/agent/turn-input.ts";
import type { QueryParams } from "../../src/agent/loop-params.ts";
import { query } from "../../src/agent/query.ts";
import type { ModelClient, ModelEvent, ModelRequest, StreamOptions } from "../../src/model/client.ts";
import { testTaskHost, type TestTaskHost } from "./test-task-host.ts";

/** What the model of a test answers: events, or something thrown. */
export type ScriptedReply = readonly ModelEvent[] | Error | ((request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>);

export interface ScriptedQuery {
  readonly events: readonly AgentEvent[];
  readonly stop: StopReason;
  /** What went to the model, request by request. */
  readonly requests: readonly ModelRequest[];
  /** What the loop made durable, in order. */
  readonly recorded: readonly Message[];
  readonly edits: readonly ContextEdit[];
}

interface Permitting {
  readonly permit?: (tool: string, access: ToolAccess) => Verdict;
  /** Answers for a person; without it nobody is there. */
  readonly ask?: AgentContext["askPermission"];
  /** Sees how each reply is asked for. */
  readonly watch?: (options: StreamOptions | undefined) => void;
  /** Sees each event before the loop goes on. */
  readonly onEvent?: (event: AgentEvent) => unknown;
  /** Of the model. */
  readonly limits?: Partial<ModelClient["limits"]>;
}

/** Runs the real loop to its end against replies that are given in order. */
export async function runScriptedQuery(
  replies: readonly ScriptedReply[],
  options: Partial<QueryParams> & Permitting = {},
): Promise<ScriptedQuery> {
  using host = testTaskHost();
  const requests: ModelRequest[] = [];
  const recorded: Message[] = [];
  const edits: ContextEdit[] = [];
  const events: AgentEvent[] = [];
  const model: ModelClient = {
    model: "test",
    limits: { contextTokens: 200_000, outputTokensMax: 32_000, ...options.limits },
    async *stream(request, signal, how) {
      requests.push(request);
      options.watch?.(how);
      const answer = replies[requests.length - 1];
      if (answer === undefined) throw new Error(`The test has no reply ${requests.length}`);
      if (answer instanceof Error) throw answer;
      yield* typeof answer === "function" ? answer(request, signal) : answer;
    },
  };
  const loop = query({
    context: contextFor(host, options),
    model,
    system: ["You are tested"],
    tools: [],
    toolDefinitions: [],
    history: [userText("go")],
    record: async (message) => void recorded.push(message),
    recordEdit: async (edit) => void edits.push(edit),
    journal: { begin: async () => undefined, end: async () => undefined },
    input: quietInput(),
    workingState: () => ({ todos: [], runningTasks: [], recentFiles: [] }),
    turnsMax: 20,
    outputTokensMax: 1_000,
    attemptsMax: 1,
    stopOnDenial: false,
    signal: new AbortController().signal,
    ...options,
  });
  let step = await loop.next();
  while (step.done !== true) {
    events.push(step.value);
    options.onEvent?.(step.value);
    step = await loop.next();
  }
  return { events, stop: step.value, requests, recorded, edits };
}

function contextFor(host: TestTaskHost, { permit, ask }: Permitting): AgentContext {
  return {
    agentId: "a00000000" as TaskId,
    role: "root",
    depth: 0,
    permissionMode: "default",
    place: createMovablePlace({ cwd: host.workspace, directories: [host.workspace] }),
    cwd: host.workspace,
    directories: [host.workspace],
    readFileState: createReadFileState(),
    todos: { get: () => [], set: () => undefined },
    host,
    checkPermission: (tool, access) => permit?.(tool.name, access) ?? { behavior: "allow", reason: "the test allows everything" },
    ...(ask === undefined ? {} : { askPermission: ask }),
  };
}

/** Nothing comes in from outside. */
export function quietInput(): TurnInput {
  const { signal } = new AbortController();
  return { pending: async () => [], next: async () => undefined, turnSignal: () => signal };
}

/** The events of one reply. */
export function reply(...parts: readonly (string | { readonly id: string; readonly tool: string; readonly input?: unknown })[]): ModelEvent[] {
  const hasCalls = parts.some((part) => typeof part !== "string");
  return replyEndingWith(hasCalls ? "tool_use" : "end_turn", ...parts);
}

export function replyEndingWith(
  stopReason: string,
  ...parts: readonly (string | { readonly id: string; readonly tool: string; readonly input?: unknown })[]
): ModelEvent[] {
  const blocks = parts.flatMap((part, index): ModelEvent[] =>
    typeof part === "string"
      ? [
          { type: "block_start", index, block: { type: "text", text: "" } },
          { type: "block_delta", index, delta: { type: "text_delta", text: part } },
          { type: "block_stop", index },
        ]
      : [
          { type: "block_start", index, block: { type: "tool_use", id: part.id, name: part.tool } },
          { type: "block_delta", index, delta: { type: "input_json_delta", partialJson: JSON.stringify(part.input ?? {}) } },
          { type: "block_stop", index },
        ],
  );
  return [
    { type: "message_start", usage: { input: 10 } },
    ...blocks,
    { type: "message_delta", stopReason, usage: { output: 5 } },
    { type: "message_stop" },
  ];
}

/** A tool whose calls the test itself carries out. */
export function testTool(
  name: string,
  call: (input: { readonly value?: string | undefined }, signal: AbortSignal) => Promise<string> | string,
  options: { readonly isConcurrencySafe?: boolean; readonly maxResultBytes?: number } = {},
): Tool {
  const tool: Tool<{ value?: string | undefined }> = {
    name,
    description: `Does ${name}`,
    inputSchema: () => z.object({ value: z.string().optional() }),
    access: () => ({ kind: "none" }),
    isReadOnly: () => options.isConcurrencySafe === true,
    isConcurrencySafe: () => options.isConcurrencySafe === true,
    maxResultBytes: options.maxResultBytes ?? 10_000,
    call: async (input, _context, { signal }) => ({ content: await call(input, signal) }),
  };
  // The loop parses input with the schema before it reaches the tool.
  return tool;
}
