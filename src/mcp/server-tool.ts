import { z } from "zod";
import type { Tool } from "../core/agent.ts";
import { AppError } from "../core/errors.ts";
import { mcpToolName } from "../core/mcp-tool-name.ts";
import { isRecord } from "../lib/is-record.ts";
import { resultText, type ServerResult } from "./result-text.ts";

/** A tool as its server lists it. */
export interface ListedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
  readonly annotations?: { readonly readOnlyHint?: boolean | undefined } | undefined;
}

/** Calls a tool of a server; rejects where there is no answer. */
export type CallServer = (tool: string, input: Readonly<Record<string, unknown>>, signal: AbortSignal) => Promise<ServerResult>;

/** It goes with every request, whatever the server thinks it worth. */
const DESCRIPTION_CHARS_MAX = 4_000;
const RESULT_BYTES_MAX = 50_000;

/** Makes a tool of ours of one of a server; undefined for one whose name nobody could call. */
export function serverTool(server: string, { name: ownName, description = "", inputSchema, annotations }: ListedTool, call: CallServer): Tool | undefined {
  const name = mcpToolName(server, ownName);
  if (name === undefined) return undefined;
  return {
    name,
    description: description.slice(0, DESCRIPTION_CHARS_MAX).toWellFormed(),
    // The server holds its input against its own schema.
    inputSchema: () => z.unknown(),
    inputJsonSchema: isRecord(inputSchema) ? inputSchema : { type: "object" },
    access: (input) => ({ kind: "foreign", input: JSON.stringify(input) ?? "", claimsToRead: annotations?.readOnlyHint === true }),
    // It says so itself, and that proves nothing.
    isReadOnly: () => false,
    isConcurrencySafe: () => annotations?.readOnlyHint === true,
    maxResultBytes: RESULT_BYTES_MAX,
    async call(input, _context, { signal }) {
      if (!isRecord(input)) throw new AppError("usage", `${name} takes an object`, { code: "invalid_input" });
      const result = await call(ownName, input, signal);
      return { content: resultText(result), ...(result.isError === true ? { isError: true } : {}) };
    },
  };
}
