import type { AgentContext, AgentEvent, StopReason, Tool } from "../core/agent.ts";
import { joinUserMessages, messageText, toolUses, type AssistantMessage, type Message, type TextBlock, type ToolUseBlock, type UserMessage } from "../core/message.ts";
import type { PendingInput } from "../core/notification.ts";
import type { ModelClient, ToolDefinition } from "../model/client.ts";
import type { CallJournal } from "./call-journal.ts";
import { runToolCalls } from "./run-tool-calls.ts";
import { stopForReply } from "./stop-for-reply.ts";
import { streamTurn } from "./stream-turn.ts";
import type { TurnInput } from "./turn-input.ts";

export interface QueryParams {
  readonly context: AgentContext;
  readonly model: ModelClient;
  readonly system: readonly string[];
  readonly tools: readonly Tool[];
  /** The tools as the model sees them; rendered once, so that the bytes stay the same from turn to turn. */
  readonly toolDefinitions: readonly ToolDefinition[];
  /** The conversation so far; its last message is the user's. */
  readonly history: readonly Message[];
  /**
   * Makes a message durable, and that it delivers what `deliveryIds` name. The loop goes on when it has resolved, and
   * throws what it rejects with.
   */
  readonly record: (message: Message, deliveryIds: readonly string[]) => Promise<void>;
  readonly journal: CallJournal;
  readonly input: TurnInput;
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
 * The loop of every agent: ask the model, do what it asks for, answer, until it asks for nothing more and nothing comes
 * in from outside.
 *
 * Yields what happens and returns why it ended. Expected failures are stop reasons; only a failing `record` and defects
 * are thrown. When it returns, the recorded conversation is one that the API accepts.
 */
export async function* query(params: QueryParams): AsyncGenerator<AgentEvent, StopReason> {
  const messages: Message[] = [...params.history];
  const add = async (message: Message, input: readonly PendingInput[] = []) => {
    await params.record(message, input.flatMap(({ deliveryId }) => deliveryId ?? []));
    messages.push(message);
  };

  for (let turn = 1; turn <= params.turnsMax; turn++) {
    if (params.signal.aborted) return { type: "aborted", reason: params.signal.reason };
    yield { type: "turn_start", turn };
    const signal = AbortSignal.any([params.signal, params.input.turnSignal()]);
    const outcome = yield* runTurn(messages, { ...params, signal, add });
    if (outcome.type === "goes_on") continue;
    const isInterrupted = outcome.stop.type === "aborted" && !params.signal.aborted;
    if (outcome.stop.type !== "end_turn" && !isInterrupted) return outcome.stop;

    const input = await params.input.next(isInterrupted ? "interrupted" : "ended");
    if (params.signal.aborted) return { type: "aborted", reason: params.signal.reason };
    if (input === undefined) return outcome.stop;
    await add({ role: "user", content: textBlocks(input) }, input);
  }
  return { type: "max_turns", maxTurns: params.turnsMax };
}

type TurnEnd = { readonly type: "goes_on" } | { readonly type: "stop"; readonly stop: StopReason };

/** One reply of the model and the answers to its calls. */
async function* runTurn(
  messages: readonly Message[],
  params: QueryParams & { readonly add: (message: Message, input?: readonly PendingInput[]) => Promise<void> },
): AsyncGenerator<AgentEvent, TurnEnd> {
  const { model, signal, add } = params;
  const request = { system: params.system, tools: params.toolDefinitions, messages: joinUserMessages(messages), maxOutputTokens: params.outputTokensMax };
  const outcome = yield* streamTurn({ model, request, signal, attemptsMax: params.attemptsMax });
  if (outcome.type === "stop") return outcome;

  const { reply, apiDurationMs } = outcome;
  const stop = stopForReply(reply);
  const message = stop?.type === "output_limit" || stop?.type === "refused" ? withoutCalls(reply.message) : reply.message;
  if (message.content.length > 0) await add(message);
  yield { type: "message_completed", message, usage: reply.usage, apiDurationMs };
  if (stop !== undefined) return { type: "stop", stop };

  const calls = toolUses(message);
  if (calls.length === 0) {
    if (reply.stopReason === "pause_turn") return { type: "goes_on" };
    return { type: "stop", stop: { type: "end_turn", text: messageText(message) } };
  }
  const { results, denied } = yield* answerCalls(calls, params);
  const input = await params.input.pending();
  const answer: UserMessage = { role: "user", content: [...results.content, ...textBlocks(input)] };
  await add(answer, input);
  yield { type: "tool_results", message: answer };
  if (denied !== undefined && params.stopOnDenial) return { type: "stop", stop: { type: "permission_denied", message: denied } };
  return signal.aborted ? { type: "stop", stop: { type: "aborted", reason: signal.reason } } : { type: "goes_on" };
}

async function* answerCalls(
  calls: readonly ToolUseBlock[],
  params: QueryParams,
): AsyncGenerator<AgentEvent, { readonly results: UserMessage; readonly denied: string | undefined }> {
  let denied: string | undefined;
  const running = runToolCalls(calls, params);
  let step = await running.next();
  while (step.done !== true) {
    if (step.value.type === "permission_denied") denied ??= step.value.verdict.reason;
    yield step.value;
    step = await running.next();
  }
  return { results: step.value, denied };
}

function textBlocks(input: readonly PendingInput[]): TextBlock[] {
  return input.map(({ text }) => ({ type: "text", text: text.toWellFormed() }));
}

/** A call that is not going to be answered must not stay in the conversation. */
function withoutCalls(message: AssistantMessage): AssistantMessage {
  return { ...message, content: message.content.filter((block) => block.type !== "tool_use") };
}
