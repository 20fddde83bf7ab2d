import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { OUTPUT_SCHEMA_BYTES_MAX, readOutputSchema } from "../../../src/cli/run/read-output-schema.ts";
import { AppError } from "../../../src/core/errors.ts";
import { tempDir } from "../../support/temp-dir.ts";

function refusal(value: string): string {
  try {
    readOutputSchema(value);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    expect([error.reason, error.code]).toEqual(["usage", "invalid_json_schema"]);
    return error.message;
  }
  throw new Error("The schema was taken");
}

test("JSON stands for itself, everything else names a file", () => {
  using directory = tempDir();
  const file = join(directory.path, "review.json");
  writeFileSync(file, '\uFEFF{"type":"object"}\n');
  expect(readOutputSchema(file)).toEqual({ type: "object" });
  expect(readOutputSchema(' \n{"type":"array","items":{"$ref":"#/$defs/ä"},"$defs":{"ä":{"const":9007199254740993}}}')).toMatchObject({ type: "array" });
  const text = '{"properties":{"__proto__":{"type":"string"}}}';
  expect(JSON.stringify(readOutputSchema(text))).toBe(text);
});

describe("a refusal names the place and what to do", () => {
  test.each([
    ["{", "at the value of --json-schema:1:2: a closing brace is expected"],
    ['{\n  "type": "text"\n}', `at the value of --json-schema:2:11: at "/type": must be one of ["array","boolean","integer","null","number","object","string"]; it is read as draft 2020-12`],
    ['{"a":1,"a":2}', 'the key "a" stands twice in one object'],
    ['{"type":"object",}', "comments and commas behind the last value have to go"],
    ['{"properties":{"a":{"$ref":"other.json#/a"}}}', ':1:28: at "/properties/a/$ref": "other.json#/a" is outside of the schema and is not fetched; copy it into "$defs"'],
    ['{"properties":{"a":{"$ref":"https://example.com/a"}}}', "is not fetched"],
    ['{"not":{"$id":"a"}}', 'at "/not/$id": only the whole schema may have an "$id"'],
    ['{"$ref":"#/$defs/gone"}', "can't resolve reference #/$defs/gone"],
    [`${'{"not":'.repeat(300)}{}${"}".repeat(300)}`, "it is nested too deeply"],
  ])("%s", (value, message) => {
    expect(refusal(value)).toContain(message);
  });

  test("also for files", () => {
    using directory = tempDir();
    const at = (name: string) => join(directory.path, name);
    mkdirSync(at("folder"));
    writeFileSync(at("list"), "\n []");
    writeFileSync(at("large"), `{"description":"${"x".repeat(OUTPUT_SCHEMA_BYTES_MAX)}"}`);
    writeFileSync(at("empty"), "");
    expect(refusal(at("list"))).toBe(`Invalid JSON Schema at ${at("list")}:2:2: a schema is an object, as in {"type":"object","properties":{…}}`);
    expect(refusal(at("large"))).toBe(`Invalid JSON Schema in ${at("large")}: it is larger than 256 KiB; leave out what the answer does not need`);
    expect(refusal(at("empty"))).toContain(`${at("empty")}:1:1: it is no plain JSON`);
    expect(refusal(at("folder"))).toContain("it is not a file; give a file, or the schema itself");
    expect(refusal(at("gone"))).toContain("ENOENT");
  });

  test("and a schema on the command line has the same limit", () => {
    expect(refusal(`{"description":"${"x".repeat(OUTPUT_SCHEMA_BYTES_MAX)}"}`)).toContain("larger than 256 KiB");
  });
});

test("names and references among plain values are no references", () => {
  const schema = { properties: { $ref: { const: { $ref: "https://example.com" } }, $id: { type: "string" } }, default: { $id: "x" } };
  expect(readOutputSchema(JSON.stringify(schema))).toEqual(schema);
});
