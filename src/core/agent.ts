import type { z } from "zod";
import type { PermissionAnswer, PermissionDenial, PermissionMode, ToolAccess, Verdict } from "./permission.ts";
import type { AssistantMessage, Message, ToolUseBlock, UserMessage } from "./message.ts";
import type { MovablePlace } from "./movable-place.ts";
import type { ReadFileState } from "./read-file-state.ts";
import type { TaskHost } from "./task-host.ts";
import type { TaskId } from "./task.ts";
import type { Thinking } from "./thinking.ts";
import type { BudgetScope } from "./token-budget.ts";
import type { Usage } from "./usage.ts";

/** Something that a model may call. One file per tool, its text for the model beside it. */
export interface Tool<Input = unknown> {
  readonly name: string;
  readonly description: string;
  /** Built at first use. The model sees it as JSON Schema; input is parsed with it before anything else looks at it. */
  readonly inputSchema: () => z.ZodType<Input>;
  /** What the model sees in place of `inputSchema`, for tools whose schema is not ours. */
  readonly inputJsonSchema?: Readonly<Record<string, unknown>>;
  /** What the call would touch; decides whether it is permitted. May throw like `call`. */
  access(input: Input, context: AgentContext): ToolAccess | Promise<ToolAccess>;
  /** Whether a call with this access is proven to change nothing. */
  isReadOnly(access: ToolAccess, context: AgentContext): boolean;
  /** Whether a call with this access may run beside others of the same reply. */
  isConcurrencySafe(access: ToolAccess, context: AgentContext): boolean;
  /** Set where what a call does waits for its turn elsewhere: such calls run beside others in any number. */
  readonly isLimitedElsewhere?: true;
  /** The most bytes of result that the model is shown. */
  readonly maxResultBytes: number;
  /** Throws when the call failed: the loop makes an error result of the message. */
  call(input: Input, context: AgentContext, call: ToolCall): Promise<ToolOutput>;
}

/** The call that a tool is asked to do. */
export interface ToolCall {
  readonly toolUseId: string;
  /** Aborted when the turn is stopped. */
  readonly signal: AbortSignal;
}

export interface ToolOutput {
  /** What the model reads. */
  readonly content: string;
  /** Set where the call did its work and the news is bad, as for a command that exits with 1. */
  readonly isError?: boolean;
}

/**
 * What one agent may touch. A subagent's is made from its parent's by `createSubagentContext`, isolated but for what is
 * shared by name.
 */
export interface AgentContext {
  /** The task of the agent: agent id and task id are the same. */
  readonly agentId: TaskId;
  readonly role: AgentRole;
  /** 0 for the root agent of a run, one more for every agent that started it. */
  readonly depth: number;
  /** Where the agent works now. */
  readonly place: MovablePlace;
  /** The directory of `place`. */
  readonly cwd: string;
  /** The directories of `place`. */
  readonly directories: readonly string[];
  /** What the agent has read, so that an edit of anything else is refused. */
  readonly readFileState: ReadFileState;
  readonly todos: TodoList;
  readonly host: TaskHost;
  readonly permissionMode: PermissionMode;
  /** What the conversation is right now; the loop gives it to the tools. */
  readonly scene?: () => AgentScene;
  /** Decides whether a call may run. Never asks anybody: `ask` comes back as a refusal where nobody can answer. */
  readonly checkPermission: (tool: Tool, access: ToolAccess) => Verdict;
  /**
   * Asks a person about a call that nothing allows and nothing forbids; absent where nobody can be asked. A path in
   * `access` is the real one. An abort of the signal ends the question as a refusal. Rejects for defects only.
   */
  readonly askPermission?: (question: { readonly tool: Tool; readonly access: ToolAccess; readonly signal: AbortSignal }) => Promise<PermissionAnswer>;
}

/**
 * - `root`: the agent of a run
 * - `subagent`: started by another one, with a conversation of its own
 * - `fork`: started by another one as a copy of it
 */
export type AgentRole = "root" | "subagent" | "fork";

/** A conversation as it stands while a call runs: what a copy of the agent begins with. */
export interface AgentScene {
  readonly system: readonly string[];
  readonly tools: readonly Tool[];
  /** As in the requests of the agent. */
  readonly thinking?: Thinking;
  /** Ends with the reply that makes the call. */
  readonly messages: readonly Message[];
}

export const TODO_STATUSES = ["pending", "in_progress", "completed"] as const;
export interface Todo {
  readonly content: string;
  readonly status: (typeof TODO_STATUSES)[number];
}
export interface TodoList {
  get(): readonly Todo[];
  set(todos: readonly Todo[]): void;
}

/** What the loop says while it works, one agent's events in order. */
export type AgentEvent =
  | { readonly type: "turn_start"; readonly turn: number }
  | { readonly type: "text_delta"; readonly text: string }
  | { readonly type: "message_completed"; readonly message: AssistantMessage; readonly model: string; readonly usage: Usage; readonly apiDurationMs: number }
  /** A request whose reply is no part of the conversation: it was dropped, or was a summary. */
  | { readonly type: "side_request"; readonly purpose: "summary" | "dropped"; readonly model: string; readonly usage: Usage; readonly apiDurationMs: number }
  | { readonly type: "tool_started"; readonly call: ToolUseBlock }
  | { readonly type: "tool_completed"; readonly call: ToolUseBlock; readonly output: ToolOutput; readonly durationMs: number }
  | { readonly type: "permission_denied"; readonly call: ToolUseBlock; readonly verdict: Verdict; readonly denial: PermissionDenial }
  /** A person is about to be asked. */
  | { readonly type: "permission_asked"; readonly call: ToolUseBlock; readonly verdict: Verdict }
  | { readonly type: "permission_allowed"; readonly call: ToolUseBlock; readonly verdict: Verdict }
  | { readonly type: "tool_results"; readonly message: UserMessage }
  | { readonly type: "api_retry"; readonly attempt: number; readonly delayMs: number; readonly error: string }
  | { readonly type: "model_fallback"; readonly from: string; readonly to: string; readonly reason: string }
  | { readonly type: "context_compacted"; readonly layer: "clear_results" | "snip" | "summary"; readonly tokensBefore: number; readonly tokensAfter: number }
  | { readonly type: "compaction_failed"; readonly reason: string }
  /** What else was done so that the work goes on. */
  | { readonly type: "recovery"; readonly action: "compact" | "repair" | "raise_output" | "continue" | "resume" | "fallback"; readonly reason: string };

/** Why a loop ended. Expected failures are here, never thrown. */
export type StopReason =
  | { readonly type: "end_turn"; readonly text: string }
  /** The turn has ended and nothing was said. */
  | { readonly type: "no_answer"; readonly message: string }
  | { readonly type: "max_turns"; readonly maxTurns: number }
  | { readonly type: "aborted"; readonly reason: unknown }
  | { readonly type: "refused"; readonly message: string }
  | { readonly type: "output_limit"; readonly message: string }
  | { readonly type: "permission_denied"; readonly message: string }
  | { readonly type: "budget"; readonly scope: BudgetScope; readonly message: string }
  | { readonly type: "denial_limit"; readonly message: string }
  | { readonly type: "model_error"; readonly error: ModelFailure };

/** The failure of a model request after everything that may be tried was tried. */
export interface ModelFailure {
  readonly class: ModelErrorClass;
  readonly message: string;
  readonly status?: number;
  readonly requestId?: string;
  /** How long the service wants us to wait, where it said so. */
  readonly retryAfterMs?: number;
}

/**
 * - `auth`: missing or rejected credentials
 * - `retryable`: overload, 5xx, connection, silence; another attempt may succeed
 * - `rate_limit`: 429
 * - `too_long`: the conversation does not fit
 * - `invalid`: the service refuses the request for its shape or content
 * - `not_found`: no such model or endpoint
 * - `billing`: no money left
 * - `script`: a scripted model met a conversation that its script does not expect
 * - `aborted`: stopped by us
 */
export type ModelErrorClass =
  | "auth"
  | "retryable"
  | "rate_limit"
  | "too_long"
  | "invalid"
  | "not_found"
  | "billing"
  | "script"
  | "aborted";
