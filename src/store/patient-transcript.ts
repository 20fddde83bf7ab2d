import type { StorageRetry } from "./storage-retry.ts";
import type { Transcript } from "./transcript.ts";
import type { TranscriptDraft, TranscriptEntry } from "./transcript-entry.ts";

/** A transcript whose writer waits for a disk that fails. */
export interface PatientTranscript {
  /** Entries come in the order of the calls. Rejects with an `AppError` of reason `storage`; the entry is then not there. */
  append(draft: TranscriptDraft): Promise<TranscriptEntry>;
  /** Throws an `AppError` of reason `storage`; then nobody knows what is on disk, and waiting would not tell. */
  sync(): void;
  close(): void;
}

export function createPatientTranscript(transcript: Transcript, storage: StorageRetry): PatientTranscript {
  let previous: Promise<unknown> = Promise.resolve();
  return {
    append(draft) {
      const appended = previous.then(() => storage.run(() => transcript.append(draft)));
      previous = appended.catch(() => undefined);
      return appended;
    },
    sync: transcript.sync,
    close: transcript.close,
  };
}
