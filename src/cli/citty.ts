import { defineCommand, renderUsage, type ArgsDef } from "citty";
import type { ArgumentDefinition, CliCommand } from "./command.ts";

/** The usage text of a command, without color. */
export async function usageText(command: CliCommand): Promise<string> {
  const args: ArgsDef = Object.fromEntries(Object.entries(command.args).map(([name, definition]) => [name, cittyArgument(definition)]));
  const text = await renderUsage(defineCommand({ meta: { name: `agent ${command.name}`, description: command.description }, args }));
  return Bun.stripANSI(text);
}

function cittyArgument(definition: ArgumentDefinition): ArgsDef[string] {
  const notes = [
    definition.description,
    definition.isMultiple === true && definition.type !== "positional" ? "(repeatable)" : "",
    definition.defaultHint === undefined ? "" : `(default ${definition.defaultHint})`,
    definition.env === undefined ? "" : `[${definition.env}]`,
  ];
  const common = {
    description: notes.filter((note) => note !== "").join(" "),
    ...(definition.alias === undefined ? {} : { alias: definition.alias }),
    ...(definition.valueHint === undefined ? {} : { valueHint: definition.valueHint }),
    required: false,
  };
  if (definition.type === "positional") return { type: "positional", description: common.description, required: false };
  return definition.type === "enum" ? { ...common, type: "enum", options: [...(definition.options ?? [])] } : { ...common, type: definition.type };
}
