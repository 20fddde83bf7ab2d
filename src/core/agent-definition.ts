import type { McpServers } from "./mcp-server.ts";
import type { PermissionMode } from "./permission.ts";
import type { Thinking } from "./thinking.ts";

/** Where a definition comes from, the weakest first: of two with one name the later one holds. */
export const DEFINITION_SOURCES = ["built-in", "user", "project", "flag"] as const;
export type DefinitionSource = (typeof DEFINITION_SOURCES)[number];

export const ISOLATIONS = ["none", "worktree"] as const;

/**
 * What an agent is: how it is told to work, and with what. Every limit in it can only narrow what holds for the run that
 * uses it; what is absent is as in that run.
 */
export interface AgentDefinition {
  readonly name: string;
  /** When to use it, for whoever chooses between agents. */
  readonly description: string;
  /** Its system prompt, in the place of the built-in sections. */
  readonly prompt: string;
  /** Names of tools; those of MCP servers need not be named. */
  readonly tools: readonly string[] | "all";
  /** Taken away from `tools`, those of MCP servers too. */
  readonly disallowedTools?: readonly string[];
  /** "inherit", an id or an alias. */
  readonly model?: string;
  readonly permissionMode?: PermissionMode;
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
  readonly maxTokens?: number;
  readonly timeoutMs?: number;
  readonly isolation?: (typeof ISOLATIONS)[number];
  /** Whether it runs beside its parent unless the call says otherwise. */
  readonly background?: boolean;
  /** "inherit" for as much as whoever starts it. A subagent of a definition that does not say thinks as little as its model can. */
  readonly thinking?: Thinking | "inherit";
  /** Whether it is started without the project's instructions and the state of its repository. */
  readonly omitProjectInstructions?: boolean;
  readonly color?: string;
  /** Started with each agent of the definition, for it and those that it starts. */
  readonly mcpServers?: McpServers;
  readonly source: DefinitionSource;
  /** Absent for built-in ones. */
  readonly file?: string;
  /** Where in the file its name stands, from 1. */
  readonly line?: number;
}

/** What is wrong with a definition. One with an error cannot be used. */
export interface DefinitionProblem {
  readonly level: "error" | "warning";
  /** A path, or the flag that held the definition. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** The definition's name, as far as it is known. */
  readonly name?: string;
  readonly message: string;
}

/** The definitions that hold in a working directory. */
export interface AgentDefinitions {
  /** Undefined also for a definition with an error. */
  find(name: string): AgentDefinition | undefined;
  /** Those that can be used: the built-in ones, then the others by name. */
  list(): readonly AgentDefinition[];
  readonly problems: readonly DefinitionProblem[];
  /** Why `find` has nothing for a name, and what there is instead. */
  explainMissing(name: string): string;
}
