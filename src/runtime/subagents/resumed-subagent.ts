import { existsSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../core/errors.ts";
import type { PermissionRule } from "../../core/permission.ts";
import type { TaskState } from "../../core/task-state.ts";
import type { TaskId } from "../../core/task.ts";
import { readTranscript } from "../../store/read-transcript.ts";
import { TRANSCRIPT_NAME } from "../../store/session-directory.ts";
import type { TranscriptEntry } from "../../store/transcript-entry.ts";
import type { TaskStore } from "../open-task-store.ts";
import type { ResumedSubagent } from "../run-request.ts";
import type { SavedLimits } from "../saved-limits.ts";
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
  const working = workingAbove(task, store.ledger);
  if (working !== undefined) {
    throw new AppError("conflict", `Cannot resume task "${id}": agent "${working}", for which it worked, is running; "agent send ${id}" has it go on there`, { code: "conversation_running" });
  }
  const saved = readSavedSubagent(entries);
  if (saved === undefined) {
    throw new AppError("conflict", `Cannot resume task "${id}": it ended before it had begun; give its work to agent "${parentTaskId}" again`, { code: "no_transcript" });
  }
  const { role, agentType, depth } = saved;
  const ofConversation = latestRunSettings(readTranscript(join(store.directory.sessions.path, sessionId, TRANSCRIPT_NAME)));
  const above = [...settingsAbove(task, store), ...(ofConversation === undefined ? [] : [ofConversation])];
  const own = latestRunSettings(entries) ?? runSettings(saved, above);
  return {
    subagent: { role, agentType, depth, parentTaskId, ...(toolUseId === undefined ? {} : { toolUseId }) },
    saved: { ...own, rules: distinct([...own.rules, ...above.flatMap(({ rules }) => rules.filter(({ behavior }) => behavior !== "allow")), ...(ofConversation?.rules ?? [])]) },
  };
}

/** How agents between the conversation and a task were run by themselves, the nearest first: what that denied holds below them as well. */
function settingsAbove({ parentTaskId }: TaskState, { ledger }: TaskStore): readonly SavedRunSettings[] {
  const settings: SavedRunSettings[] = [];
  const seen = new Set<TaskId>();
  for (let id = parentTaskId; id !== undefined && !seen.has(id); ) {
    seen.add(id);
    const task = ledger.getTask(id);
    const path = task?.detail["transcriptPath"];
    // The conversation itself is read from its session, also where its root is not on record any more.
    const found = task?.parentTaskId === undefined || typeof path !== "string" || !existsSync(path) ? undefined : latestRunSettings(readTranscript(path));
    if (found !== undefined) settings.push(found);
    id = task?.parentTaskId;
  }
  return settings;
}

function distinct(rules: readonly PermissionRule[]): readonly PermissionRule[] {
  return [...new Map(rules.map((rule) => [JSON.stringify([rule.behavior, rule.tool, rule.spec, rule.layer]), rule])).values()];
}

/** @param above the conversation, and agents in between that were run by themselves */
function runSettings(saved: SavedSubagent, above: readonly SavedRunSettings[]): SavedRunSettings {
  const { model, thinking, cwd, directories, permissionMode, agentType, system, toolNames } = saved;
  const inlineAgents = above.find((settings) => settings.inlineAgents !== undefined)?.inlineAgents;
  const limits = strictest(above.map((settings) => settings.limits));
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

/** Of what may be spent the least counts; all else is as it was nearest. */
function strictest(all: readonly SavedLimits[]): SavedLimits {
  const merged = all.toReversed().reduce<SavedLimits>((far, near) => ({ ...far, ...near }), {});
  const least = SPENDING.flatMap((name) => {
    const values = all.flatMap((limits) => limits[name] ?? []);
    return values.length === 0 ? [] : [[name, Math.min(...values)] as const];
  });
  return { ...merged, ...Object.fromEntries(least) };
}

const SPENDING = ["budgetUsdMax", "budgetTokensMax", "toolCallsMax"] as const;

function ceilingsOf({ modeMax, turnsMax, timeoutMs, budget }: SavedSubagent) {
  return {
    ...(modeMax === undefined ? {} : { permissionMode: modeMax }),
    ...(turnsMax === undefined ? {} : { turnsMax }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(budget?.usd === undefined ? {} : { budgetUsdMax: budget.usd }),
    ...(budget?.tokens === undefined ? {} : { budgetTokensMax: budget.tokens }),
  };
}
