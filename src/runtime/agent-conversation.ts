import { readProjectInstructions } from "../agent/project-instructions.ts";
import { rebuildConversation } from "../agent/rebuild-conversation.ts";
import { renderSystemPrompt } from "../agent/system-prompt.ts";
import type { TurnInput } from "../agent/turn-input.ts";
import { GO_ON_PROMPT } from "../core/notification.ts";
import type { Message, TextBlock } from "../core/message.ts";
import type { TaskId } from "../core/task.ts";
import { readTranscript } from "../store/read-transcript.ts";
import type { TranscriptEntry } from "../store/transcript-entry.ts";
import { undeliveredPrompts, wasLost } from "./asked-prompt.ts";
import { rootConversationFile } from "./conversation-file.ts";
import { openConversationRecord, type ConversationRecord, type OpenRecord } from "./conversation-record.ts";
import type { OpenRun } from "./open-run.ts";
import type { AgentWork, RunRequest } from "./run-request.ts";
import { savedRunSettings, storedSystemPrompt } from "./saved-run-settings.ts";
import { withAnswerInstruction } from "./structured/answer-instruction.ts";

/** The conversation of a run's root agent and the transcript that holds it. */
export interface AgentConversation extends ConversationRecord {
  /** The rendered system prompt; a resumed conversation keeps the bytes it began with. */
  readonly system: readonly string[];
  /** Ends with the prompt, which is on record. */
  readonly history: readonly Message[];
}

interface OpenConversationParams {
  readonly run: OpenRun;
  readonly taskId: TaskId;
  readonly request: RunRequest;
  readonly work: AgentWork;
  readonly input: TurnInput;
}

/**
 * Begins a conversation, or reads one back and brings it to where it can go on: calls that were in flight are answered
 * with what is known of them, and what stands in it counts as delivered. The prompt is on record afterwards.
 *
 * Rejects with an `AppError` of reason `storage` when the transcript cannot be read or written.
 */
export async function openConversation(params: OpenConversationParams): Promise<AgentConversation> {
  const { run, taskId, work } = params;
  const file = rootConversationFile(run.session, taskId, work);
  const entries = readTranscript(file.path);
  const record = await openConversationRecord({ run, taskId, file });
  try {
    return { ...record, ...(await begin(record, entries, params)) };
  } catch (error) {
    record.close();
    throw error;
  }
}

async function begin(record: OpenRecord, entries: readonly TranscriptEntry[], params: OpenConversationParams): Promise<Pick<AgentConversation, "system" | "history">> {
  const { run, work, request } = params;
  const system = withAnswerInstruction(systemPrompt(entries, params), work);
  await record.note("run_started", { ...savedRunSettings(request, work), system });

  const { messages, missingAnswer, deliveryIds } = rebuildConversation(entries);
  await record.confirm(deliveryIds);
  const instructions = messages.length === 0 && work.agent?.omitsProjectInstructions !== true ? readProjectInstructions(request.cwd) : undefined;
  // What came while nobody was there is told before the prompt that wakes the conversation.
  const waiting = await params.input.pending();
  const prompts = undeliveredPrompts(entries, { deliveryIds, isOwed: (runId) => runId === run.runId || wasLost(runId, params.taskId, run.ledger) });
  // It may have been woken for a message which an earlier attempt has taken in the meantime.
  const said = waiting.length === 0 && prompts.every(({ text }) => text === "") ? [GO_ON_PROMPT] : prompts.map(({ text }) => text);
  const texts = [...waiting.map(({ text }) => text), instructions, ...said];
  const prompt: Message = { role: "user", content: [...missingAnswer, ...textBlocks(texts)] };
  await record.record(prompt, [...waiting, ...prompts].flatMap(({ deliveryId }) => deliveryId ?? []));
  return { system, history: [...messages, prompt] };
}

function systemPrompt(entries: readonly TranscriptEntry[], { run, request, work }: OpenConversationParams): readonly string[] {
  const override = work.systemPrompt ?? work.agent?.prompt;
  const isChanged = work.systemPrompt !== undefined || work.appendSystemPrompt !== undefined;
  const stored = isChanged ? undefined : storedSystemPrompt(entries);
  return (
    stored ??
    renderSystemPrompt({
      cwd: request.cwd,
      directories: request.directories,
      platform: process.platform,
      date: new Date(run.startedAt).toISOString().slice(0, 10),
      ...(override === undefined ? {} : { override }),
      ...(work.appendSystemPrompt === undefined ? {} : { append: work.appendSystemPrompt }),
    })
  );
}

function textBlocks(texts: readonly (string | undefined)[]): TextBlock[] {
  return texts.flatMap((text) => (text === undefined || text === "" ? [] : [{ type: "text", text: text.toWellFormed() }]));
}
