import { rebuildConversation } from "../../agent/rebuild-conversation.ts";
import type { Message } from "../../core/message.ts";
import type { TaskId } from "../../core/task.ts";
import type { TranscriptEntry } from "../../store/transcript-entry.ts";
import { sidechainFile } from "../conversation-file.ts";
import { openConversationRecord, type ConversationRecord } from "../conversation-record.ts";
import type { OpenRun } from "../open-run.ts";

/** The transcript of a subagent, beside that of the conversation which started it. */
export interface Sidechain extends ConversationRecord {
  /** Ends with what the agent is to answer; on record. */
  readonly history: readonly Message[];
}

interface SidechainParams {
  readonly run: OpenRun;
  readonly id: TaskId;
  /** What is to be known of the agent to go on with it later. */
  readonly started: Readonly<Record<string, unknown>>;
  /** What stands in its transcript already; nothing unless it is gone on with. */
  readonly entries: readonly TranscriptEntry[];
  /** What it begins with, where its transcript is new. */
  readonly inherited: readonly Message[];
  /** What it is asked now. */
  readonly prompt: Message | undefined;
  /** What the prompt delivers. */
  readonly deliveryIds: readonly string[];
}

/**
 * Begins the transcript of a subagent, or goes on with it: calls that were in flight are answered with what is known of
 * them. Rejects with an `AppError` of reason `storage` where it cannot be written.
 */
export async function openSidechain(params: SidechainParams): Promise<Sidechain> {
  const { run, id } = params;
  const record = await openConversationRecord({ run, taskId: id, file: sidechainFile(run.session, id) });
  try {
    await record.note("agent_started", params.started);
    const { messages, missingAnswer, deliveryIds } = rebuildConversation(params.entries);
    await record.confirm(deliveryIds);
    const begun = params.entries.length === 0 ? params.inherited : messages;
    if (params.entries.length === 0) for (const message of begun) await record.copy(message);
    const last = withAnswers(missingAnswer, params.prompt);
    if (last !== undefined) await record.record(last, params.deliveryIds);
    return { ...record, history: last === undefined ? begun : [...begun, last] };
  } catch (error) {
    record.close();
    throw error;
  }
}

/** The service wants the answers to calls before anything else that is said. */
function withAnswers(answers: ReturnType<typeof rebuildConversation>["missingAnswer"], prompt: Message | undefined): Message | undefined {
  if (answers.length === 0) return prompt;
  return { role: "user", content: [...answers, ...(prompt?.role === "user" ? prompt.content : [])] };
}
