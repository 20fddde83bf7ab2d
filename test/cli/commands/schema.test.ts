import { describe, expect, test } from "bun:test";
import { runCli } from "../../../src/cli/main.ts";
import { taskRecord } from "../../../src/cli/tasks/task-record.ts";
import { taskRecordSchema } from "../../../src/cli/tasks/task-record-schema.ts";
import { EXIT_CODES } from "../../../src/core/exit-code.ts";
import { SETTING_NAMES } from "../../../src/core/setting-names.ts";
import { runEventSchema } from "../../../src/core/stream-event-schema.ts";
import { TASK_TYPES } from "../../../src/core/task.ts";
import { localBashKind } from "../../../src/tasks/local_bash/index.ts";
import { memoryIo } from "../../support/memory-io.ts";
import { sampleTask } from "../../support/sample-task.ts";

test.each(["events", "task", "config", "exit-codes", "cassette"])("%s is a JSON Schema, readable and with a title", async (format) => {
  const schema = await print(format);
  expect(schema.$schema).toBe("https://json-schema.org/draft/2020-12/schema");
  expect(schema.title).toBeString();
});

test("exit-codes has a row for every reason, with its code and what it means", async () => {
  const { oneOf = [] } = await print("exit-codes");
  const rows = oneOf.map(({ properties, description = "" }) => ({
    reason: properties?.["reason"]?.const,
    code: properties?.["code"]?.const,
    isDescribed: description.length > 10,
  }));
  expect(rows).toEqual(Object.entries(EXIT_CODES).map(([reason, code]) => ({ reason, code, isDescribed: true })));
});

test("config describes every setting", async () => {
  const { properties } = await print("config");
  for (const name of SETTING_NAMES) {
    const [key = "", inner] = name.split(".");
    const schema = inner === undefined ? properties?.[key] : properties?.[key]?.properties?.[inner];
    expect({ name, isDescribed: schema?.description !== undefined }).toEqual({ name, isDescribed: true });
  }
});

test("events has every type of event, and lets fields be added", async () => {
  const { oneOf = [] } = await print("events");
  expect(typesOf(oneOf)).toEqual(runEventSchema().options.map(({ shape }) => shape.type.value));
  expect(oneOf.every(({ additionalProperties }) => additionalProperties === undefined)).toBe(true);
});

describe("task", () => {
  test("has every type, each with the detail of its kind", async () => {
    const { oneOf = [] } = await print("task");
    expect(typesOf(oneOf)).toEqual([...TASK_TYPES]);
    expect(oneOf[0]?.properties?.["detail"]?.properties?.["exitCode"]).toBeDefined();
  });

  test("describes what inspect prints, absent values as null", () => {
    const task = sampleTask();
    const schema = taskRecordSchema([]);
    expect(schema.safeParse({ ...taskRecord(task), detail: { anything: 1 } }).error).toBeUndefined();
  });

  test("knows the detail of given kinds alone", () => {
    const record = { ...taskRecord(sampleTask()), type: "local_bash", detail: { command: 5 } };
    expect(taskRecordSchema([localBashKind]).safeParse(record).success).toBe(false);
    expect(taskRecordSchema([]).safeParse(record).success).toBe(true);
  });
});

test.each([
  [["schema"], 'agent: Missing which schema behind "agent schema": it takes events, task, config, exit-codes, cassette\n'],
  [["schema", "event"], 'agent: Unknown schema "event": did you mean "events"?\n'],
  [["schema", "constructor"], 'agent: Unknown schema "constructor": it takes events, task, config, exit-codes, cassette\n'],
])("%j is exit 2", async (argv, message) => {
  const io = memoryIo();
  expect(await runCli(argv, io)).toBe(2);
  expect(io.stdout.text).toBe("");
  expect(io.stderr.text).toBe(message);
});

function typesOf(schemas: readonly JsonSchema[]): unknown[] {
  return schemas.map(({ properties }) => properties?.["type"]?.const);
}

interface JsonSchema {
  readonly $schema?: string;
  readonly title?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly oneOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: unknown;
}

async function print(format: string): Promise<JsonSchema> {
  const io = memoryIo();
  expect(await runCli(["schema", format], io)).toBe(0);
  expect(io.stdout.text).toStartWith('{\n  "$schema"');
  return JSON.parse(io.stdout.text);
}
