import { AppError } from "../core/errors.ts";
import type { Message } from "../core/message.ts";
import type { TaskId } from "../core/task.ts";
import { isRecord } from "../lib/is-record.ts";

/** One line of a transcript. Fields that this build does not know stay as they are. */
export interface TranscriptEntry extends TranscriptDraft {
  readonly uuid: string;
  /** The entry before this one; null for the first. */
  readonly parentUuid: string | null;
  readonly sessionId: string;
  readonly agentId: TaskId;
  /** Whether the agent is a subagent. */
  readonly isSidechain: boolean;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
}

/** What the caller says of an entry; the transcript adds the rest. */
export interface TranscriptDraft {
  readonly type: "user" | "assistant" | "system";
  readonly message?: Message;
  readonly [field: string]: unknown;
}

/** Throws an `AppError` of reason `storage` for what is no entry. */
export function parseTranscriptLine(line: string, where: string): TranscriptEntry {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new AppError("storage", `Cannot read ${where}: it is not JSON`, { code: "damaged_transcript", cause: error });
  }
  if (!isEntry(value)) throw new AppError("storage", `Cannot read ${where}: it is no entry of a transcript`, { code: "damaged_transcript" });
  return value;
}

/** We wrote the rest of the entry with its id, in one write. */
function isEntry(value: unknown): value is TranscriptEntry {
  return isRecord(value) && typeof value["uuid"] === "string" && typeof value["type"] === "string";
}
