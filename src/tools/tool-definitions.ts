import { z } from "zod";
import type { Tool } from "../core/agent.ts";
import type { ToolDefinition } from "../model/client.ts";

/** The agents of a run have the same tools, and there may be a thousand of them. */
const DEFINITIONS = new WeakMap<Tool, ToolDefinition>();

/** The tools as the model is told of them, in the order given. The same tools always come to the same bytes. */
export function toolDefinitions(tools: readonly Tool[]): ToolDefinition[] {
  return tools.map((tool) => {
    const known = DEFINITIONS.get(tool);
    if (known !== undefined) return known;
    const definition = { name: tool.name, description: tool.description.trim(), input_schema: { ...(tool.inputJsonSchema ?? inputJsonSchema(tool)) } };
    DEFINITIONS.set(tool, definition);
    return definition;
  });
}

/** Without the URL of the dialect, which says nothing to a model and costs bytes in every request. */
function inputJsonSchema(tool: Tool): Record<string, unknown> {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(tool.inputSchema(), { io: "input" });
  return schema;
}
