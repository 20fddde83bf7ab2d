import type { AgentDefinition, DefinitionProblem, DefinitionSource } from "../../core/agent-definition.ts";
import type { McpServers } from "../../core/mcp-server.ts";
import { permissionLeniency } from "../../core/permission-leniency.ts";
import { nearestName } from "../../lib/nearest-name.ts";
import { MODEL_ALIASES } from "../../model/aliases.ts";
import { checkToolNames } from "./check-tool-names.ts";
import { DEFINITION_FIELDS, DEFINITION_NAME, type DraftDefinition } from "./definition-fields.ts";
import { readMcpServers } from "./read-mcp-servers.ts";

/** A definition as it was written. */
export interface WrittenDefinition {
  readonly fields: ReadonlyMap<string, unknown>;
  /** The line of a field, from 1. */
  readonly lineOf: (key: string) => number;
  readonly prompt: unknown;
  readonly promptLine: number;
  readonly source: DefinitionSource;
  /** A path, or the flag that held it. */
  readonly file: string;
}

/** What a written definition comes to. */
export interface DefinedAgent {
  /** The name it claims, also where it cannot be used; undefined where it has none. */
  readonly name: string | undefined;
  /** Undefined where there is an error. */
  readonly definition: AgentDefinition | undefined;
  readonly problems: readonly DefinitionProblem[];
}

/** Makes a definition of what was written, and says everything that is wrong with it. */
export function defineAgent(written: WrittenDefinition, knownTools: readonly string[]): DefinedAgent {
  const { fields, lineOf, source, file } = written;
  const claimed = fields.get("name");
  const name = typeof claimed === "string" && DEFINITION_NAME.test(claimed) ? claimed : undefined;
  const problems: DefinitionProblem[] = [];
  const tell = (level: "error" | "warning", line: number, message: string) => {
    problems.push({ level, file, line, ...(name === undefined ? {} : { name }), message });
  };

  let draft: DraftDefinition = {};
  for (const [key, value] of fields) {
    const read = Object.hasOwn(DEFINITION_FIELDS, key) ? DEFINITION_FIELDS[key] : undefined;
    if (read === undefined) tellUnknown(key, tell, lineOf(key));
    // A field without a value is absent; but for tools, where nothing could mean all of them or none.
    else if (value !== null || key === "tools" || key === "disallowedTools") {
      const part = read(value);
      if (typeof part === "string") tell("error", lineOf(key), `"${key}" ${part}`);
      else draft = { ...draft, ...part };
    }
  }
  for (const key of ["tools", "disallowedTools"] as const) {
    const listed = draft[key];
    if (listed === undefined || listed === "all") continue;
    const { tools, errors, warnings } = checkToolNames(listed, knownTools);
    for (const message of errors) tell("error", lineOf(key), message);
    if (key === "tools") for (const message of warnings) tell("warning", lineOf(key), message);
    draft = { ...draft, [key]: tools };
  }
  for (const key of ["name", "description"]) if ((fields.get(key) ?? null) === null) tell("error", 1, `"${key}" is missing`);
  const prompt = typeof written.prompt === "string" ? written.prompt.trim() : "";
  if (prompt === "") tell("error", written.promptLine, "the prompt is missing: say what the agent is to do");

  const usable = withoutUnused(draft, { written, tell });
  const { name: ownName, description } = usable;
  problems.sort((a, b) => a.line - b.line);
  const hasError = problems.some(({ level }) => level === "error");
  if (hasError || ownName === undefined || description === undefined) return { name, definition: undefined, problems };
  const origin = source === "built-in" ? {} : { file, line: lineOf("name") };
  return { name, definition: { ...usable, name: ownName, description, prompt, tools: usable.tools ?? "all", source, ...origin }, problems };
}

type Tell = (level: "error" | "warning", line: number, message: string) => void;

/** Takes out what a file of somebody else may not decide, and says what nothing comes of. */
function withoutUnused(draft: DraftDefinition, { written, tell }: { readonly written: WrittenDefinition; readonly tell: Tell }): Partial<AgentDefinition> {
  const { fields, lineOf, source } = written;
  const isProject = source === "project";
  const { mcpServers, permissionMode, model, ...rest } = draft;
  if (fields.has("hooks")) tell("warning", lineOf("hooks"), '"hooks" is ignored: there are none of an agent');
  const servers = isProject ? undefined : serversOf(mcpServers, (level, message) => tell(level, lineOf("mcpServers"), message));
  if (isProject && mcpServers !== undefined) tell("warning", lineOf("mcpServers"), `"mcpServers" is ignored: a project's file starts nothing`);
  const isWidening = isProject && permissionMode !== undefined && permissionLeniency(permissionMode) > permissionLeniency("default");
  if (isWidening) tell("warning", lineOf("permissionMode"), `"permissionMode" is ignored: a project's file can only narrow what is allowed`);
  const isForeignModel = isProject && model !== undefined && !isPlainModel(model);
  if (isForeignModel) tell("warning", lineOf("model"), `"model" is ignored: a project's file names one of ${Object.keys(MODEL_ALIASES).join(", ")}, or the id of one of these`);
  return {
    ...rest,
    ...(permissionMode === undefined || isWidening ? {} : { permissionMode }),
    ...(model === undefined || isForeignModel ? {} : { model }),
    ...(servers === undefined ? {} : { mcpServers: servers }),
  };
}

function serversOf(written: unknown, tell: (level: "error" | "warning", message: string) => void): McpServers | undefined {
  if (written === undefined) return undefined;
  const { servers, errors, warnings } = readMcpServers(written);
  for (const error of errors) tell("error", `"mcpServers" ${error}`);
  for (const warning of warnings) tell("warning", warning);
  return servers;
}

/** Not a script, which would be played as the words of a model. */
function isPlainModel(model: string): boolean {
  return model === "inherit" || Object.hasOwn(MODEL_ALIASES, model) || /^claude-[\w.-]+$/.test(model);
}

/** Without these an agent may do more: one that is misspelt must not be taken for absent. */
const NARROWING_FIELDS = ["tools", "disallowedTools", "permissionMode", "maxTurns", "maxTokens", "maxBudgetUsd", "timeout", "isolation"] as const;

function tellUnknown(key: string, tell: Tell, line: number): void {
  const narrowing = narrowingField(key);
  if (narrowing !== undefined) return tell("error", line, `unknown field "${key}": did you mean "${narrowing}"? Without it the agent might do more than it should`);
  const nearest = nearestName(key, [...Object.keys(DEFINITION_FIELDS), "prompt"]);
  tell("warning", line, `unknown field "${key}" is ignored${nearest === undefined ? "" : `: did you mean "${nearest}"?`}`);
}

/** However it is written: `max_turns` is near to `maxTurns`. */
function narrowingField(key: string): string | undefined {
  // So the field is called in files of other kinds.
  if (/^allowedtools?$/.test(plain(key))) return "tools";
  return NARROWING_FIELDS.find((field) => nearestName(plain(key), [plain(field)]) !== undefined);
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, "");
}
