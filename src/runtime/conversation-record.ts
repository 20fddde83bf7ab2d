import type { CallJournal } from "../agent/call-journal.ts";
import { contextEditEntry, createTranscriptJournal } from "../agent/transcript-journal.ts";
import type { ContextEdit } from "../core/context-edit.ts";
import type { Message } from "../core/message.ts";
import type { TaskId } from "../core/task.ts";
import { confirmMessages } from "../engine/confirm-messages.ts";
import { confirmNotices } from "../engine/due-notices.ts";
import { mirrorMessage } from "../engine/mirror-message.ts";
import { createPatientTranscript } from "../store/patient-transcript.ts";
import { openTranscript } from "../store/transcript.ts";
import type { ConversationFile } from "./conversation-file.ts";
import { keepResult } from "./keep-result.ts";
import type { OpenRun } from "./open-run.ts";

/** What a loop puts on record while it goes on. */
export interface ConversationRecord {
  readonly journal: CallJournal;
  record(message: Message, deliveryIds: readonly string[]): Promise<void>;
  recordEdit(edit: ContextEdit): Promise<void>;
  /** Keeps a result in a file of the session; resolves to its path. */
  keepResult(toolUseId: string, content: string): Promise<string>;
  close(): void;
}

/** A transcript that is open, and what is to be done beside the loop with it. */
export interface OpenRecord extends ConversationRecord {
  /** Adds a message that was said before, to somebody else: it is nobody's news. */
  copy(message: Message): Promise<void>;
  /** Adds a line that says with what the conversation goes on. */
  note(subtype: string, fields: Readonly<Record<string, unknown>>): Promise<void>;
  /** What stands in the transcript is delivered, also where a crash came between the two. */
  confirm(deliveryIds: readonly string[]): Promise<void>;
}

/**
 * Opens the transcript of an agent, which is made where there is none. Rejects with an `AppError` of reason `storage` where
 * it cannot be written.
 */
export async function openConversationRecord(params: {
  readonly run: OpenRun;
  readonly taskId: TaskId;
  readonly file: ConversationFile;
}): Promise<OpenRecord> {
  const { run, taskId } = params;
  const { directory, name, isSidechain } = params.file;
  const { sessionId, storage } = run;
  const transcript = createPatientTranscript(await storage.run(() => openTranscript({ directory, name, sessionId, agentId: taskId, isSidechain })), storage);
  const host = { ...run.host, ledger: run.ledger };
  const confirm = async (deliveryIds: readonly string[]) => {
    if (deliveryIds.length === 0) return;
    await confirmMessages(taskId, deliveryIds, host);
    await confirmNotices(taskId, deliveryIds, host);
  };
  return {
    journal: createTranscriptJournal(transcript),
    async record(message, deliveryIds) {
      await transcript.append({ type: message.role, message, ...(deliveryIds.length === 0 ? {} : { deliveryIds }) });
      mirrorMessage(taskId, run.host.setAppState, message);
      await confirm(deliveryIds);
    },
    async recordEdit(edit) {
      await transcript.append(contextEditEntry(edit));
    },
    keepResult: (toolUseId, content) => keepResult(toolUseId, content, run),
    async copy(message) {
      await transcript.append({ type: message.role, message });
    },
    async note(subtype, fields) {
      await transcript.append({ type: "system", subtype, runId: run.runId, ...fields });
    },
    confirm,
    close: () => transcript.close(),
  };
}
