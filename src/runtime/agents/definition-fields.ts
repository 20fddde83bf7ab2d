import { type AgentDefinition, ISOLATIONS } from "../../core/agent-definition.ts";
import { PERMISSION_MODES } from "../../core/permission.ts";
import { readThinking, THINKING_EFFORTS, THINKING_TOKENS_MIN } from "../../core/thinking.ts";
import { parseDurationMs, TIMER_MS_MAX } from "../../lib/duration.ts";

/** Reads the value of a field; a text says what is wrong with it and ends a sentence that begins with the name of the field. */
export type FieldReader = (value: unknown) => DraftDefinition | string;

/** A definition in the making: servers stand in it as they were written. */
export type DraftDefinition = Omit<Partial<AgentDefinition>, "mcpServers"> & { readonly mcpServers?: unknown };

const COUNT_MAX = 999_999_999;
const DESCRIPTION_LENGTH_MAX = 16_000;
const WORD_LENGTH_MAX = 200;
const TOOLS_MAX = 500;
const TOOLS_LENGTH_MAX = 10_000;

export const DEFINITION_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** Every field but the prompt, by its name in a file. */
export const DEFINITION_FIELDS: Readonly<Record<string, FieldReader>> = {
  name: (value) => (typeof value === "string" && DEFINITION_NAME.test(value) ? { name: value } : 'must be up to 64 letters, digits, "_" and "-", the first a letter'),
  description(value) {
    if (typeof value !== "string" || value.trim() === "") return "must be a text";
    return value.length > DESCRIPTION_LENGTH_MAX ? `must have at most ${DESCRIPTION_LENGTH_MAX} characters` : { description: value.trim() };
  },
  tools(value) {
    const tools = toolList(value);
    if (typeof tools === "string") return tools;
    return { tools: tools.includes("*") ? "all" : tools };
  },
  disallowedTools(value) {
    const disallowedTools = toolList(value);
    return typeof disallowedTools === "string" ? disallowedTools : { disallowedTools };
  },
  model: (value) => word(value, (model) => ({ model })),
  permissionMode(value) {
    const permissionMode = PERMISSION_MODES.find((mode) => mode === value);
    return permissionMode === undefined ? `must be one of ${PERMISSION_MODES.join(", ")}` : { permissionMode };
  },
  maxTurns: (value) => count(value, (maxTurns) => ({ maxTurns })),
  maxTokens: (value) => count(value, (maxTokens) => ({ maxTokens })),
  maxBudgetUsd: (value) => (typeof value === "number" && value > 0 && Number.isFinite(value) ? { maxBudgetUsd: value } : "must be an amount of US dollars, more than 0"),
  timeout(value) {
    const timeoutMs = parseDurationMs(String(value));
    return timeoutMs !== undefined && timeoutMs > 0 && timeoutMs <= TIMER_MS_MAX ? { timeoutMs } : "must be a time such as 90 (seconds), 500ms, 10m or 2h, at most 24d";
  },
  isolation(value) {
    const isolation = ISOLATIONS.find((name) => name === value);
    return isolation === undefined ? `must be one of ${ISOLATIONS.join(", ")}` : { isolation };
  },
  background: (value) => flag(value, (background) => ({ background })),
  thinking(value) {
    // Some writers of YAML take the word for a no.
    const thinking = value === "inherit" ? value : readThinking(value === false ? "off" : value);
    return thinking === undefined ? `must be one of off, ${THINKING_EFFORTS.join(", ")}, inherit, or a number of tokens from ${THINKING_TOKENS_MIN} up` : { thinking };
  },
  omitProjectInstructions: (value) => flag(value, (omitProjectInstructions) => ({ omitProjectInstructions })),
  omitClaudeMd: (value) => flag(value, (omitProjectInstructions) => ({ omitProjectInstructions })),
  color: (value) => word(value, (color) => ({ color })),
  mcpServers: (value) => ({ mcpServers: value }),
  hooks: () => ({}),
};

/** A list, or one text with commas. */
function toolList(value: unknown): string[] | string {
  const problem = 'must be names of tools: a list, or a text with commas; "*" for all, [] for none';
  if (typeof value === "string" && value.length > TOOLS_LENGTH_MAX) return problem;
  const words: unknown[] = typeof value === "string" ? value.split(/,(?![^(]*\))/) : Array.isArray(value) ? value : [undefined];
  const names = words.map((name) => (typeof name === "string" ? name.trim() : ""));
  if (names.length > TOOLS_MAX || names.some((name) => name === "" || name.length > WORD_LENGTH_MAX)) return problem;
  return [...new Set(names)];
}

function word(value: unknown, make: (text: string) => Partial<AgentDefinition>): Partial<AgentDefinition> | string {
  const isWord = typeof value === "string" && value.trim() !== "" && value.length <= WORD_LENGTH_MAX && !value.includes("\n");
  return isWord ? make(value.trim()) : "must be a short text";
}

function count(value: unknown, make: (count: number) => Partial<AgentDefinition>): Partial<AgentDefinition> | string {
  return isCount(value) ? make(value) : "must be a whole number from 1 up";
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= COUNT_MAX;
}

function flag(value: unknown, make: (isSet: boolean) => Partial<AgentDefinition>): Partial<AgentDefinition> | string {
  return typeof value === "boolean" ? make(value) : "must be true or false";
}
