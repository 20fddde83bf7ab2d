import type { PendingInput } from "../core/notification.ts";
import type { TaskId } from "../core/task.ts";
import type { Ledger } from "../store/ledger.ts";
import type { TranscriptDraft, TranscriptEntry } from "../store/transcript-entry.ts";
import type { AgentWork, RunRequest } from "./run-request.ts";
import { savedRunSettings } from "./saved-run-settings.ts";

/**
 * The entry with which a run keeps what it was asked to do and how, before anybody gets its id: a run that dies before it
 * has begun its conversation is gone on with all the same.
 */
export function askedPrompt(runId: string, request: RunRequest, work: AgentWork): TranscriptDraft {
  return { type: "system", subtype: "run_asked", runId, prompt: work.prompt.toWellFormed(), ...savedRunSettings(request, work) };
}

/** Whoever asked a run that died before it had begun was never told so; of every other ending they were. */
export function wasLost(runId: string, id: TaskId, ledger: Pick<Ledger, "tasksOfRun">): boolean {
  return ledger.tasksOfRun(runId).some((task) => task.id === id && task.exit?.reason === "owner_lost");
}

/**
 * The prompts that are to come into the conversation and have not, oldest first. The id of its run proves the delivery of
 * a prompt.
 *
 * @param options.deliveryIds what stands in the conversation
 * @param options.isOwed whether the prompt of a run is still to be heard
 */
export function undeliveredPrompts(
  entries: readonly TranscriptEntry[],
  { deliveryIds, isOwed }: { readonly deliveryIds: readonly string[]; readonly isOwed: (runId: string) => boolean },
): PendingInput[] {
  return entries.flatMap(({ subtype, runId, prompt }) => {
    if (subtype !== "run_asked" || typeof runId !== "string" || typeof prompt !== "string") return [];
    return deliveryIds.includes(runId) || !isOwed(runId) ? [] : [{ text: prompt, deliveryId: runId }];
  });
}
