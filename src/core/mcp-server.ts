import type { Tool } from "./agent.ts";
import type { Supervision } from "./supervision.ts";

/** A program that brings tools, spoken to over its stdin and stdout. */
export interface McpServer {
  readonly command: string;
  readonly args?: readonly string[];
  /** Added to the environment of commands. `${NAME}` and `${NAME:-else}` stand for variables of whoever started the run, in arguments too. */
  readonly env?: Readonly<Record<string, string>>;
}

/** By the names under which their tools are called. */
export type McpServers = Readonly<Record<string, McpServer>>;

/** Servers that run, with their tools. */
export interface McpConnections {
  readonly tools: readonly Tool[];
  /** Ends the servers and all that they have started. Never rejects; calls that are under way fail. */
  close(): Promise<void>;
}

/** Where servers run. */
export interface McpWorld {
  readonly cwd: string;
  /** The whole environment of the servers, but for what is their own. */
  readonly childEnv: Readonly<Record<string, string>>;
  /** For variables in their settings. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly supervision: Supervision;
  /** Told what went wrong without stopping anything. */
  readonly warn: (text: string) => void;
  /** Aborted when nobody wants the servers any more. */
  readonly signal: AbortSignal;
}
