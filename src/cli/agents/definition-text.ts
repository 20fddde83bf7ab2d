import type { AgentDefinition } from "../../core/agent-definition.ts";
import { formatDuration } from "../../lib/duration.ts";
import { visibleText } from "../../lib/visible-text.ts";
import { textTable } from "../text-table.ts";

const DESCRIPTION_LENGTH_MAX = 80;

/** One line for each definition: its name, where it comes from, its model, its tools, and what it is for. */
export function definitionsTable(definitions: readonly AgentDefinition[]): string {
  return textTable(definitions.map(({ name, source, model, tools, description }) => [name, source, model ?? "inherit", toolsText(tools), shortened(description)]));
}

/** A definition for people: its fields, then its prompt. */
export function definitionText(definition: AgentDefinition): string {
  const { name, description, prompt, tools, disallowedTools, timeoutMs, source, file, line, mcpServers, ...rest } = definition;
  const rows = [
    ["name", name],
    ["source", file === undefined ? source : `${source}, ${file}:${line ?? 1}`],
    ["description", description],
    ["tools", toolsText(tools)],
    ...(disallowedTools === undefined ? [] : [["disallowedTools", disallowedTools.join(", ")]]),
    ...Object.entries(rest).map(([key, value]) => [key, String(value)]),
    ...(timeoutMs === undefined ? [] : [["timeout", formatDuration(timeoutMs)]]),
    ...(mcpServers === undefined ? [] : [["mcpServers", JSON.stringify(mcpServers)]]),
  ];
  return `${textTable(rows)}\n${visibleText(prompt)}\n`;
}

function toolsText(tools: AgentDefinition["tools"]): string {
  if (tools === "all") return "all";
  return tools.length === 0 ? "none" : tools.join(", ");
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length > DESCRIPTION_LENGTH_MAX ? `${line.slice(0, DESCRIPTION_LENGTH_MAX - 1).toWellFormed()}…` : line;
}
