import { PERMISSION_MODES, type PermissionMode, type PermissionRule } from "../core/permission.ts";
import { readThinking, type Thinking } from "../core/thinking.ts";
import { isRecord } from "../lib/is-record.ts";
import type { TranscriptEntry } from "../store/transcript-entry.ts";
import type { AgentWork, InlineAgents, RunAgent, RunRequest } from "./run-request.ts";
import { readSavedLimits, savedLimits, type SavedLimits } from "./saved-limits.ts";

/** How a conversation was run, as its transcript keeps it: a resumed run goes on in the same way unless told. */
export interface SavedRunSettings {
  readonly model: string;
  readonly thinking?: Thinking;
  readonly cwd: string;
  readonly directories: readonly string[];
  readonly permissionMode: PermissionMode;
  readonly rules: readonly PermissionRule[];
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  readonly agent?: RunAgent;
  readonly inlineAgents?: InlineAgents;
  readonly limits: SavedLimits;
}

export function savedRunSettings(request: RunRequest, work: AgentWork): SavedRunSettings {
  return {
    model: work.model,
    ...(work.thinking === undefined ? {} : { thinking: work.thinking }),
    cwd: request.cwd,
    directories: request.directories,
    permissionMode: work.permissionMode,
    rules: work.rules,
    limits: savedLimits(request, work),
    ...(work.outputSchema === undefined ? {} : { outputSchema: work.outputSchema }),
    ...(work.agent === undefined ? {} : { agent: work.agent }),
    ...(work.inlineAgents === undefined ? {} : { inlineAgents: work.inlineAgents }),
  };
}

/** The settings of the latest run of a conversation; undefined where its transcript holds none. */
export function latestRunSettings(entries: readonly TranscriptEntry[]): SavedRunSettings | undefined {
  const entry = entries.findLast(({ subtype }) => subtype === "run_asked" || subtype === "run_started");
  if (entry === undefined) return undefined;
  const { model, cwd, directories, permissionMode, rules, outputSchema, agent, inlineAgents, limits } = entry;
  const thinking = readThinking(entry["thinking"]);
  if (typeof model !== "string" || typeof cwd !== "string" || !isStrings(directories)) return undefined;
  const mode = PERMISSION_MODES.find((candidate) => candidate === permissionMode);
  if (mode === undefined || !Array.isArray(rules)) return undefined;
  return {
    model,
    cwd,
    directories,
    permissionMode: mode,
    rules: rules.filter(isRule),
    limits: readSavedLimits(limits),
    ...(thinking === undefined ? {} : { thinking }),
    ...(isRecord(outputSchema) ? { outputSchema } : {}),
    ...(isRunAgent(agent) ? { agent } : {}),
    ...(isInlineAgents(inlineAgents) ? { inlineAgents } : {}),
  };
}

/** The rendered system prompt of the latest run that had one: the bytes that its requests began with. */
export function storedSystemPrompt(entries: readonly TranscriptEntry[]): readonly string[] | undefined {
  const system = entries.findLast(({ subtype }) => subtype === "run_started" || subtype === "agent_started")?.["system"];
  return isStrings(system) ? system : undefined;
}

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** We wrote them ourselves, after they had been checked: these, too. */
function isRunAgent(value: unknown): value is RunAgent {
  return isRecord(value) && typeof value["prompt"] === "string" && isStrings(value["tools"]) && isRecord(value["ceilings"]);
}

function isInlineAgents(value: unknown): value is InlineAgents {
  return isRecord(value) && typeof value["text"] === "string" && typeof value["origin"] === "string";
}

/** We wrote them ourselves, after they had been checked. */
function isRule(value: unknown): value is PermissionRule {
  return isRecord(value) && typeof value["tool"] === "string" && typeof value["behavior"] === "string";
}
