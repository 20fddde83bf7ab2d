import type { CallJournal } from "../../agent/call-journal.ts";
import { rebuildConversation } from "../../agent/rebuild-conversation.ts";
import { contextEditEntry, createTranscriptJournal } from "../../agent/transcript-journal.ts";
import type { ContextEdit } from "../../core/context-edit.ts";
import type { Message } from "../../core/message.ts";
import type { TaskId } from "../../core/task.ts";
import { confirmMessages } from "../../engine/confirm-messages.ts";
import { confirmNotices } from "../../engine/due-notices.ts";
import { mirrorMessage } from "../../engine/mirror-message.ts";
import { createPatientTranscript } from "../../store/patient-transcript.ts";
import { subagentTranscriptName } from "../../store/session-directory.ts";
import { openTranscript } from "../../store/transcript.ts";
import type { TranscriptEntry } from "../../store/transcript-entry.ts";
import { keepResult } from "../keep-result.ts";
import type { OpenRun } from "../open-run.ts";

/** The transcript of a subagent, beside that of the conversation which started it. */
export interface Sidechain {
  /** Ends with what the agent is to answer; on record. */
  readonly history: readonly Message[];
  readonly journal: CallJournal;
  record(message: Message, deliveryIds: readonly string[]): Promise<void>;
  recordEdit(edit: ContextEdit): Promise<void>;
  keepResult(toolUseId: string, content: string): Promise<string>;
  close(): void;
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
  const { run, id, entries, inherited, prompt } = params;
  const { session, sessionId, storage } = run;
  const transcript = createPatientTranscript(
    await storage.run(() => openTranscript({ directory: session.subagents, name: subagentTranscriptName(id), sessionId, agentId: id, isSidechain: true })),
    storage,
  );
  const host = { ...run.host, ledger: run.ledger };
  const record = async (message: Message, deliveryIds: readonly string[]) => {
    await transcript.append({ type: message.role, message, ...(deliveryIds.length === 0 ? {} : { deliveryIds }) });
    mirrorMessage(id, run.host.setAppState, message);
    await confirmMessages(id, deliveryIds, host);
    await confirmNotices(id, deliveryIds, host);
  };
  try {
    await transcript.append({ type: "system", subtype: "agent_started", runId: run.runId, ...params.started });
    const { messages, missingAnswer, deliveryIds } = rebuildConversation(entries);
    await confirmMessages(id, deliveryIds, host);
    await confirmNotices(id, deliveryIds, host);
    for (const message of entries.length === 0 ? inherited : []) await transcript.append({ type: message.role, message });
    const begun = entries.length === 0 ? inherited : messages;
    const last: Message | undefined = missingAnswer.length === 0 ? prompt : { role: "user", content: [...missingAnswer, ...(prompt?.role === "user" ? prompt.content : [])] };
    if (last !== undefined) await record(last, params.deliveryIds);
    return {
      history: last === undefined ? begun : [...begun, last],
      journal: createTranscriptJournal(transcript),
      record,
      async recordEdit(edit) {
        await transcript.append(contextEditEntry(edit));
      },
      keepResult: (toolUseId, content) => keepResult(toolUseId, content, run),
      close: () => transcript.close(),
    };
  } catch (error) {
    transcript.close();
    throw error;
  }
}
