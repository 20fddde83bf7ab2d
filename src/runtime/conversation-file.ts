import type { TaskId } from "../core/task.ts";
import type { PinnedDirectory } from "../platform/pinned-directory.ts";
import { subagentTranscriptName, TRANSCRIPT_NAME, type SessionDirectory } from "../store/session-directory.ts";
import type { AgentWork } from "./run-request.ts";

/** The file that holds the conversation of an agent. */
export interface ConversationFile {
  readonly directory: PinnedDirectory;
  readonly name: string;
  readonly path: string;
  /** Whether it stands beside the conversation in which the agent was started. */
  readonly isSidechain: boolean;
}

/** Where the conversation of a run's root agent stands: it may be one that another agent started in an earlier run. */
export function rootConversationFile(session: SessionDirectory, id: TaskId, { resume }: Pick<AgentWork, "resume">): ConversationFile {
  if (resume?.subagent !== undefined) return sidechainFile(session, id);
  return { directory: session.root, name: TRANSCRIPT_NAME, path: session.transcriptPath, isSidechain: false };
}

export function sidechainFile({ subagents, subagentTranscriptPath }: SessionDirectory, id: TaskId): ConversationFile {
  return { directory: subagents, name: subagentTranscriptName(id), path: subagentTranscriptPath(id), isSidechain: true };
}
