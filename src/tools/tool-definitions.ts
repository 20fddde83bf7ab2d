import type { Tool } from "../core/agent.ts";
import type { ToolDefinition } from "../model/client.ts";
import { inputJsonSchema } from "./input-json-schema.ts";
import INPUT_SCHEMAS from "./input-schemas.json" with { type: "json" };

/** Made beforehand by `build/input-schemas.ts`. */
const KNOWN_SCHEMAS: ReadonlyMap<string, Readonly<Record<string, unknown>>> = new Map(Object.entries(INPUT_SCHEMAS));

/** The tools as the model is told of them, in the order given. The same tools always come to the same bytes. */
export function toolDefinitions(tools: readonly Tool[]): ToolDefinition[] {
  return tools.map((tool) => ({
    name: tool.name,
    description: tool.description.trim(),
    input_schema: { ...(tool.inputJsonSchema ?? KNOWN_SCHEMAS.get(tool.name) ?? inputJsonSchema(tool)) },
  }));
}
