import { joinUserMessages, messageText, userText, type Message } from "../../core/message.ts";
import { cutToBytes } from "../../lib/cut-to-bytes.ts";
import type { Usage } from "../../core/usage.ts";
import { ModelError, type ModelClient, type ModelRequest } from "../../model/client.ts";
import { createReplyAccumulator } from "../accumulate-reply.ts";
import { firstRequest } from "./snip-turns.ts";
import instruction from "./summary.md" with { type: "text" };

const SUMMARY_BYTES_MAX = 60_000;
const SUMMARY_BYTES_MIN = 20;

/** What has to be known besides the conversation to go on with it. */
export interface WorkingState {
  readonly todos: readonly string[];
  readonly runningTasks: readonly string[];
  readonly recentFiles: readonly string[];
}

export type SummaryOutcome =
  | { readonly type: "written"; readonly text: string; readonly usage: Usage }
  | { readonly type: "failed"; readonly why: string; readonly usage?: Usage };

/**
 * Asks the model to summarize a conversation. The request begins with the same bytes as every other, so that it is read
 * from the prompt cache. Never rejects for a failure of the model: the conversation stays as it is then.
 */
export async function askForSummary(model: ModelClient, request: ModelRequest, signal: AbortSignal): Promise<SummaryOutcome> {
  const accumulator = createReplyAccumulator();
  try {
    const messages = joinUserMessages([...request.messages, userText(instruction.trim())]);
    for await (const event of model.stream({ ...request, messages }, signal)) accumulator.add(event);
  } catch (error) {
    if (error instanceof ModelError) return { type: "failed", why: error.message };
    throw error;
  }
  const { message, stopReason, usage } = accumulator.reply();
  const text = messageText(message).trim();
  if (stopReason !== "end_turn" && stopReason !== "stop_sequence" && stopReason !== null) return { type: "failed", why: `the summary ended with "${stopReason}"`, usage };
  if (text.length < SUMMARY_BYTES_MIN) return { type: "failed", why: "the summary is empty", usage };
  return { type: "written", text: cutToBytes(text, SUMMARY_BYTES_MAX), usage };
}

/** The message with which a summarized conversation begins. */
export function summaryMessage(messages: readonly Message[], summary: string, state: WorkingState): string {
  const lists = [
    { title: "Open todos", lines: state.todos },
    { title: "Tasks that are running in the background", lines: state.runningTasks },
    { title: "Files that were read or written last", lines: state.recentFiles },
  ];
  return [
    firstRequest(messages),
    "[The conversation so far was summarized to save room. The summary:]",
    summary,
    ...lists.filter(({ lines }) => lines.length > 0).map(({ title, lines }) => `${title}:\n${lines.map((line) => `- ${line}`).join("\n")}`),
    "[End of the summary. Go on with the work from here.]",
  ].join("\n\n");
}
