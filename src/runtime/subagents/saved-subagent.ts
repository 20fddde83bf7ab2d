import type { AgentRole } from "../../core/agent.ts";
import type { BudgetLimits } from "../../core/token-budget.ts";
import { PERMISSION_MODES, type PermissionMode } from "../../core/permission.ts";
import { readThinking, type Thinking } from "../../core/thinking.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { TranscriptEntry } from "../../store/transcript-entry.ts";

/** What a subagent was started with, as its transcript keeps it: it goes on in the same way. */
export interface SavedSubagent {
  readonly role: Exclude<AgentRole, "root">;
  readonly agentType: string;
  readonly model: string;
  readonly permissionMode: PermissionMode;
  readonly depth: number;
  readonly cwd: string;
  readonly directories: readonly string[];
  /** The rendered bytes. */
  readonly system: readonly string[];
  readonly toolNames: readonly string[];
  readonly turnsMax: number | undefined;
  readonly timeoutMs: number | undefined;
  readonly budget: BudgetLimits | undefined;
  /** The most that its definition lets through, whoever goes on with it. */
  readonly modeMax: PermissionMode | undefined;
  readonly thinking: Thinking | undefined;
}

/** The fields of the line with which an attempt of a subagent begins. */
export function savedSubagent(subagent: SavedSubagent): Readonly<Record<string, unknown>> {
  return { ...subagent };
}

/** What the latest attempt was started with; undefined where the transcript does not say, or not what the agent was to do. */
export function readSavedSubagent(entries: readonly TranscriptEntry[]): SavedSubagent | undefined {
  const entry = entries.findLast(({ subtype }) => subtype === "agent_started");
  if (!isRecord(entry) || !entries.some(({ type }) => type === "user")) return undefined;
  const { role, agentType, model, permissionMode, depth, cwd, directories, system, toolNames, turnsMax, timeoutMs, budget, modeMax, thinking } = entry;
  const mode = modeIn(permissionMode);
  if ((role !== "subagent" && role !== "fork") || mode === undefined) return undefined;
  if (typeof agentType !== "string" || typeof model !== "string" || typeof depth !== "number" || typeof cwd !== "string") return undefined;
  if (!isStrings(directories) || !isStrings(system) || !isStrings(toolNames)) return undefined;
  return { role, agentType, model, permissionMode: mode, depth, cwd, directories, system, toolNames, turnsMax: numberIn(turnsMax), timeoutMs: numberIn(timeoutMs), budget: budgetIn(budget), modeMax: modeIn(modeMax), thinking: readThinking(thinking) };
}

function modeIn(value: unknown): PermissionMode | undefined {
  return PERMISSION_MODES.find((candidate) => candidate === value);
}

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function budgetIn(value: unknown): BudgetLimits | undefined {
  if (!isRecord(value)) return undefined;
  const [usd, tokens] = [numberIn(value["usd"]), numberIn(value["tokens"])];
  return { ...(usd === undefined ? {} : { usd }), ...(tokens === undefined ? {} : { tokens }) };
}

function numberIn(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
