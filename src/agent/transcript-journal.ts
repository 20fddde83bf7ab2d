import { readContextEdit, type ContextEdit } from "../core/context-edit.ts";
import { crashPoint } from "../platform/test-hooks/crash-point.ts";
import type { PatientTranscript } from "../store/patient-transcript.ts";
import type { TranscriptDraft, TranscriptEntry } from "../store/transcript-entry.ts";
import type { CallJournal } from "./call-journal.ts";

/**
 * Keeps the journal of calls in the transcript of the agent that makes them. Both lines are on disk, not only written,
 * when they count: a call whose effect outlives a power failure must not look as if it had never begun.
 */
export function createTranscriptJournal(transcript: PatientTranscript): CallJournal {
  return {
    async begin(call) {
      await transcript.append({ type: "system", subtype: "call_intent", toolUseId: call.id, name: call.name });
      transcript.sync();
      if (TEST_HOOKS) crashPoint("after-intent");
    },
    async end(call, output) {
      if (TEST_HOOKS) crashPoint("before-outcome");
      await transcript.append({ type: "system", subtype: "call_outcome", toolUseId: call.id, content: output.content, isError: output.isError === true });
      transcript.sync();
      if (TEST_HOOKS) crashPoint("after-outcome");
    },
  };
}

/** The line that says how the conversation is sent from there on. */
export function contextEditEntry(edit: ContextEdit): TranscriptDraft {
  return { type: "system", subtype: "context_edit", edit };
}

/** The edit in a line of a transcript; undefined where the line is something else. */
export function contextEditOf(entry: TranscriptEntry): ContextEdit | undefined {
  return entry["subtype"] === "context_edit" ? readContextEdit(entry["edit"]) : undefined;
}

export function isCallIntent(entry: TranscriptEntry, toolUseId: string): boolean {
  return entry["subtype"] === "call_intent" && entry["toolUseId"] === toolUseId;
}

export function isCallOutcome(entry: TranscriptEntry, toolUseId: string): boolean {
  return entry["subtype"] === "call_outcome" && entry["toolUseId"] === toolUseId;
}
