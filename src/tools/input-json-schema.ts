import { z } from "zod";
import type { Tool } from "../core/agent.ts";

/** The schema of a tool's input for models. Without the URL of the dialect, which says nothing to them and costs bytes in every request. */
export function inputJsonSchema(tool: Pick<Tool, "inputSchema">): Record<string, unknown> {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(tool.inputSchema(), { io: "input" });
  return schema;
}
