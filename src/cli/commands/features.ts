import { BUILD_INFO } from "../../core/build-info.ts";
import { EXIT_CODES } from "../../core/exit-code.ts";
import { getAllTaskTypes } from "../../tasks/registry.ts";
import { TOOL_NAMES } from "../../tools/tool-names.ts";
import { defineCliCommand } from "../command.ts";
import { textTable } from "../text-table.ts";

export default defineCliCommand({
  name: "features",
  description: "Show what this build contains",
  examples: ["agent features", "agent features --json | jq .task_types"],
  args: { json: { type: "boolean", description: "Print an object: flags, task_types, tools, commands" } },
  async run({ values, io, program }) {
    const { flags } = BUILD_INFO;
    const lists = { task_types: getAllTaskTypes(), tools: TOOL_NAMES, commands: program.commandNames };
    const text = values.json === true ? `${JSON.stringify({ v: 1, flags, ...lists })}\n` : table(flags, lists);
    await io.stdout.write(text);
    return EXIT_CODES.ok;
  },
});

function table(flags: Readonly<Record<string, boolean>>, lists: Readonly<Record<string, readonly string[]>>): string {
  return textTable([
    ...Object.entries(flags).map(([name, isOn]) => [name, isOn ? "on" : "off"]),
    ...Object.entries(lists).map(([name, entries]) => [name.replace("_", " "), entries.join(", ")]),
  ]);
}
