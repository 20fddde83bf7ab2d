import { join } from "node:path";
import { AppError } from "../../core/errors.ts";
import type { TaskState } from "../../core/task-state.ts";
import type { TaskId } from "../../core/task.ts";
import { readTranscript } from "../../store/read-transcript.ts";
import { TRANSCRIPT_NAME } from "../../store/session-directory.ts";
import type { TranscriptEntry } from "../../store/transcript-entry.ts";
import type { TaskStore } from "../open-task-store.ts";
import type { ResumedSubagent } from "../run-request.ts";
import { latestRunSettings, type SavedRunSettings } from "../saved-run-settings.ts";
import { workingAbove } from "../working-above.ts";
import { readSavedSubagent, type SavedSubagent } from "./saved-subagent.ts";

/**
 * How an agent that another one has started is gone on with by itself: with what it was started with, and with the user's
 * rules and limits for the conversation in which it was started.
 *
 * Throws an `AppError` of reason `conflict`: with code `conversation_running` while an agent above it works, which alone
 * goes on with it then, and with `no_transcript` where it ended before it had begun.
 */
export function resumedSubagent(
  task: TaskState & { readonly parentTaskId: TaskId },
  entries: readonly TranscriptEntry[],
  store: TaskStore,
): { readonly subagent: ResumedSubagent; readonly saved: SavedRunSettings } {
  const { id, parentTaskId, toolUseId, sessionId } = task;
  const above = workingAbove(task, store.ledger);
  if (above !== undefined) {
    throw new AppError("conflict", `Cannot resume task "${id}": agent "${above}", for which it worked, is running; "agent send ${id}" has it go on there`, { code: "conversation_running" });
  }
  const saved = readSavedSubagent(entries);
  if (saved === undefined) {
    throw new AppError("conflict", `Cannot resume task "${id}": it ended before it had begun; give its work to agent "${parentTaskId}" again`, { code: "no_transcript" });
  }
  const { role, agentType, depth } = saved;
  const ofConversation = latestRunSettings(readTranscript(join(store.directory.sessions.path, sessionId, TRANSCRIPT_NAME)));
  return {
    subagent: { role, agentType, depth, parentTaskId, ...(toolUseId === undefined ? {} : { toolUseId }) },
    saved: withRulesOf(ofConversation, latestRunSettings(entries) ?? runSettings(saved, ofConversation)),
  };
}

/** What was denied to the conversation later holds as well. */
function withRulesOf(ofConversation: SavedRunSettings | undefined, settings: SavedRunSettings): SavedRunSettings {
  return { ...settings, rules: [...settings.rules, ...(ofConversation?.rules ?? [])] };
}

function runSettings(saved: SavedSubagent, ofConversation: SavedRunSettings | undefined): SavedRunSettings {
  const { model, thinking, cwd, directories, permissionMode, agentType, system, toolNames } = saved;
  const { inlineAgents, limits = {} } = ofConversation ?? {};
  return {
    model,
    cwd,
    directories,
    permissionMode,
    rules: [],
    agent: { name: agentType, prompt: system[0] ?? "", tools: toolNames, omitsProjectInstructions: true, ceilings: ceilingsOf(saved) },
    limits,
    ...(thinking === undefined ? {} : { thinking }),
    ...(inlineAgents === undefined ? {} : { inlineAgents }),
  };
}

function ceilingsOf({ modeMax, turnsMax, timeoutMs, budget }: SavedSubagent) {
  return {
    ...(modeMax === undefined ? {} : { permissionMode: modeMax }),
    ...(turnsMax === undefined ? {} : { turnsMax }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(budget?.usd === undefined ? {} : { budgetUsdMax: budget.usd }),
    ...(budget?.tokens === undefined ? {} : { budgetTokensMax: budget.tokens }),
  };
}
