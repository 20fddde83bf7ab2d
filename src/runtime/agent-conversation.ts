import type { CallJournal } from "../agent/call-journal.ts";
import { readProjectInstructions } from "../agent/project-instructions.ts";
import { rebuildConversation } from "../agent/rebuild-conversation.ts";
import { renderSystemPrompt } from "../agent/system-prompt.ts";
import { createTranscriptJournal } from "../agent/transcript-journal.ts";
import type { TurnInput } from "../agent/turn-input.ts";
import type { Message, TextBlock } from "../core/message.ts";
import type { TaskId } from "../core/task.ts";
import { confirmNotices } from "../engine/due-notices.ts";
import { readTranscript } from "../store/read-transcript.ts";
import { TRANSCRIPT_NAME } from "../store/session-directory.ts";
import { openTranscript, type Transcript } from "../store/transcript.ts";
import type { TranscriptEntry } from "../store/transcript-entry.ts";
import type { OpenRun } from "./open-run.ts";
import type { AgentWork, RunRequest } from "./run-request.ts";
import { savedRunSettings, storedSystemPrompt } from "./saved-run-settings.ts";

/** The conversation of a run's root agent and the transcript that holds it. */
export interface AgentConversation {
  /** The rendered system prompt; a resumed conversation keeps the bytes it began with. */
  readonly system: readonly string[];
  /** Ends with the prompt, which is on record. */
  readonly history: readonly Message[];
  readonly journal: CallJournal;
  record(message: Message, deliveryIds: readonly string[]): Promise<void>;
  close(): void;
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
  const entries = work.resume === undefined ? [] : readTranscript(run.session.transcriptPath);
  const transcript = openTranscript({ directory: run.session.root, name: TRANSCRIPT_NAME, sessionId: run.sessionId, agentId: taskId, isSidechain: false });
  try {
    return await begin(transcript, entries, params);
  } catch (error) {
    transcript.close();
    throw error;
  }
}

async function begin(transcript: Transcript, entries: readonly TranscriptEntry[], params: OpenConversationParams): Promise<AgentConversation> {
  const { run, taskId, work, request } = params;
  const record = async (message: Message, deliveryIds: readonly string[]) => {
    transcript.append({ type: message.role, message, ...(deliveryIds.length === 0 ? {} : { deliveryIds }) });
    if (deliveryIds.length === 0) return;
    await run.ledger.removeMessages(deliveryIds);
    await confirmNotices(taskId, deliveryIds, { ...run.host, ledger: run.ledger });
  };
  const system = systemPrompt(entries, params);
  transcript.append({ type: "system", subtype: "run_started", runId: run.runId, ...savedRunSettings(request, work, system) });

  const { messages, missingAnswer, deliveryIds } = rebuildConversation(entries);
  await run.ledger.removeMessages(deliveryIds);
  await confirmNotices(taskId, deliveryIds, { ...run.host, ledger: run.ledger });
  const instructions = messages.length === 0 ? readProjectInstructions(request.cwd) : undefined;
  // What came while nobody was there is told before the prompt that wakes the conversation.
  const waiting = await params.input.pending();
  const texts = [...waiting.map(({ text }) => text), instructions, work.prompt];
  const prompt: Message = { role: "user", content: [...missingAnswer, ...textBlocks(texts)] };
  await record(prompt, waiting.flatMap(({ deliveryId }) => deliveryId ?? []));
  return { system, history: [...messages, prompt], journal: createTranscriptJournal(transcript), record, close: () => transcript.close() };
}

function systemPrompt(entries: readonly TranscriptEntry[], { run, request, work }: OpenConversationParams): readonly string[] {
  const isChanged = work.systemPrompt !== undefined || work.appendSystemPrompt !== undefined;
  const stored = isChanged ? undefined : storedSystemPrompt(entries);
  return (
    stored ??
    renderSystemPrompt({
      cwd: request.cwd,
      directories: request.directories,
      platform: process.platform,
      date: new Date(run.startedAt).toISOString().slice(0, 10),
      ...(work.systemPrompt === undefined ? {} : { override: work.systemPrompt }),
      ...(work.appendSystemPrompt === undefined ? {} : { append: work.appendSystemPrompt }),
    })
  );
}

function textBlocks(texts: readonly (string | undefined)[]): TextBlock[] {
  return texts.flatMap((text) => (text === undefined || text === "" ? [] : [{ type: "text", text: text.toWellFormed() }]));
}
