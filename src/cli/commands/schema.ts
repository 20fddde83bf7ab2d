import { z } from "zod";
import { AppError } from "../../core/errors.ts";
import { cassetteLineSchema } from "../../core/cassette-schema.ts";
import { exitCodeSchema } from "../../core/exit-code-schema.ts";
import { EXIT_CODES } from "../../core/exit-code.ts";
import { settingsFileSchema } from "../../core/settings-schema.ts";
import { runEventSchema } from "../../core/stream-event-schema.ts";
import { nearestName } from "../../lib/nearest-name.ts";
import { getAllTaskTypes, loadTaskKind } from "../../tasks/registry.ts";
import { defineCliCommand } from "../command.ts";
import { taskRecordSchema } from "../tasks/task-record-schema.ts";

const FORMATS = ["events", "task", "config", "exit-codes", "cassette"] as const;

export default defineCliCommand({
  name: "schema",
  description: "Print the JSON Schema of a machine format",
  examples: ["agent schema events", "agent schema config > config.schema.json"],
  args: {
    format: { type: "positional", options: FORMATS, description: "events, task, config, exit-codes or cassette" },
    json: { type: "boolean", description: "As without it: the output is always JSON" },
  },
  async run({ values, io }) {
    const schema = await jsonSchemaOf(values.format);
    await io.stdout.write(`${JSON.stringify(schema, undefined, 2)}\n`);
    return EXIT_CODES.ok;
  },
});

async function jsonSchemaOf(format: string | undefined): Promise<object> {
  switch (format) {
    case "events":
      // As their readers see them: fields may be added.
      return titled("A line of the event stream", z.toJSONSchema(runEventSchema(), { io: "input" }));
    case "task":
      return titled("The record of a task", z.toJSONSchema(taskRecordSchema(await kindsOfThisBuild()), { io: "input" }));
    case "config":
      return titled("A configuration file", z.toJSONSchema(settingsFileSchema()));
    case "exit-codes":
      return titled("How something ended: the exit status and its reason", z.toJSONSchema(exitCodeSchema()));
    case "cassette":
      return titled("A line of a recording", z.toJSONSchema(cassetteLineSchema(), { io: "input" }));
    default:
      throw unknownFormat(format);
  }
}

async function kindsOfThisBuild() {
  const kinds = await Promise.all(getAllTaskTypes().map(loadTaskKind));
  return kinds.filter((kind) => kind !== undefined);
}

function titled(title: string, { $schema, ...schema }: { readonly $schema?: string }): object {
  return { $schema, title, ...schema };
}

function unknownFormat(format: string | undefined): AppError {
  const nearest = format === undefined ? undefined : nearestName(format, FORMATS);
  const hint = nearest === undefined ? `it takes ${FORMATS.join(", ")}` : `did you mean "${nearest}"?`;
  const problem = format === undefined ? 'Missing which schema behind "agent schema"' : `Unknown schema "${format}"`;
  return new AppError("usage", `${problem}: ${hint}`, { code: "bad_value" });
}
