import type { AgentContext, AgentEvent, StopReason, Tool } from "../core/agent.ts";
import { messageText, toolUses, type AssistantMessage, type Message } from "../core/message.ts";
import type { ModelClient, ToolDefinition } from "../model/client.ts";
import { runToolCalls } from "./run-tool-calls.ts";
import { stopForReply } from "./stop-for-reply.ts";
import { streamTurn } from "./stream-turn.ts";

export interface QueryParams {
  readonly context: AgentContext;
  readonly model: ModelClient;
  readonly system: readonly string[];
  readonly tools: readonly Tool[];
  /** The tools as the model sees them; rendered once, so that the bytes stay the same from turn to turn. */
  readonly toolDefinitions: readonly ToolDefinition[];
  /** The conversation so far; its last message is the user's. */
  readonly history: readonly Message[];
  /** Makes a message durable. The loop goes on when it has resolved, and throws what it rejects with. */
  readonly record: (message: Message) => Promise<void>;
  readonly turnsMax: number;
  readonly outputTokensMax: number;
  /** How many requests may be made for one reply. */
  readonly attemptsMax: number;
  /** Whether the first refused call ends the loop. */
  readonly stopOnDenial: boolean;
  /** Stops the loop; its reason comes back in the stop reason. */
  readonly signal: AbortSignal;
}

/**
 * The loop of every agent: ask the model, do what it asks for, answer, until it asks for nothing more.
 *
 * Yields what happens and returns why it ended. Expected failures are stop reasons; only a failing `record` and defects
 * are thrown. When it returns, the recorded conversation is one that the API accepts.
 */
export async function* query(params: QueryParams): AsyncGenerator<AgentEvent, StopReason> {
  const { context, model, tools, signal } = params;
  const messages: Message[] = [...params.history];
  const add = async (message: Message) => {
    await params.record(message);
    messages.push(message);
  };

  for (let turn = 1; turn <= params.turnsMax; turn++) {
    if (signal.aborted) return { type: "aborted", reason: signal.reason };
    yield { type: "turn_start", turn };
    const request = { system: params.system, tools: params.toolDefinitions, messages: [...messages], maxOutputTokens: params.outputTokensMax };
    const outcome = yield* streamTurn({ model, request, signal, attemptsMax: params.attemptsMax });
    if (outcome.type === "stop") return outcome.stop;

    const { reply, apiDurationMs } = outcome;
    const stop = stopForReply(reply);
    const message = stop?.type === "output_limit" || stop?.type === "refused" ? withoutCalls(reply.message) : reply.message;
    if (message.content.length > 0) await add(message);
    yield { type: "message_completed", message, usage: reply.usage, apiDurationMs };
    if (stop !== undefined) return stop;

    const calls = toolUses(message);
    if (calls.length === 0) {
      if (reply.stopReason === "pause_turn") continue;
      return { type: "end_turn", text: messageText(message) };
    }
    let denied: string | undefined;
    const running = runToolCalls(calls, { tools, context, signal });
    let step = await running.next();
    while (step.done !== true) {
      if (step.value.type === "permission_denied") denied ??= step.value.verdict.reason;
      yield step.value;
      step = await running.next();
    }
    await add(step.value);
    yield { type: "tool_results", message: step.value };
    if (denied !== undefined && params.stopOnDenial) return { type: "permission_denied", message: denied };
  }
  return { type: "max_turns", maxTurns: params.turnsMax };
}

/** A call that is not going to be answered must not stay in the conversation. */
function withoutCalls(message: AssistantMessage): AssistantMessage {
  return { ...message, content: message.content.filter((block) => block.type !== "tool_use") };
}
