import { describe, expect, test } from "bun:test";
import { compileJsonSchema } from "../../../src/lib/json-schema/compile-json-schema.ts";
import { SCHEMA_DEPTH_MAX, mapSchemas, SchemaDepthError, type JsonObject } from "../../../src/lib/json-schema/map-schemas.ts";

const problems = (schema: JsonObject, value: unknown) => compileJsonSchema(schema)(value).map(({ pointer, problem }) => `${pointer} ${problem}`);

describe("problems are told by place", () => {
  test.each<[string, JsonObject, unknown, string[]]>([
    ["a value that fits", { type: "object" }, {}, []],
    ["a type", { type: "string" }, 1, [" must be string"]],
    ["a missing member", { required: ["a/b~c"] }, {}, ["/a~1b~0c is missing"]],
    ["a member too many", { properties: {}, additionalProperties: false }, { "ü ": 1 }, ["/ü  is not allowed here"]],
    ["an unevaluated member", { allOf: [{ properties: { a: {} } }], unevaluatedProperties: false }, { a: 1, b: 1 }, ["/b is not allowed here"]],
    ["a value out of a list", { items: { enum: ["a", "b"] } }, ["a", "c"], ['/1 must be one of ["a","b"]']],
    ["another value", { const: { a: 1 } }, 1, [' must be {"a":1}']],
    ["a number that is none in JSON", { type: "number" }, Number.POSITIVE_INFINITY, [" must be number"]],
    ["characters, not code units", { maxLength: 1 }, "😀", []],
  ])("%s", (_name, schema, value, expected) => {
    expect(problems(schema, value)).toEqual(expected);
  });

  test("all of them, each once", () => {
    expect(problems({ anyOf: [{ type: "string" }, { type: "string" }], properties: { a: { type: "null" }, b: { type: "null" } } }, { a: 1, b: 1 })).toEqual([
      " must be string",
      " must match a schema in anyOf",
      "/a must be null",
      "/b must be null",
    ]);
  });
});

describe("what is easily got wrong", () => {
  test("names that every object inherits are no members", () => {
    expect(problems({ required: ["toString", "constructor"] }, {})).toEqual(["/toString is missing", "/constructor is missing"]);
  });

  test("a format is a note and no rule, and unknown keywords are left alone", () => {
    expect(problems({ type: "string", format: "email", "x-order": 1 }, "nobody")).toEqual([]);
  });

  test("a schema that says it is asynchronous judges all the same", () => {
    expect(problems({ $async: true, type: "string" }, 1)).toEqual([" must be string"]);
  });

  test("one that was checked judges the same without being checked again", () => {
    for (const $schema of ["https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"]) {
      const schema = { $schema, properties: { a: { $ref: "#/definitions/a" } }, definitions: { a: { type: "string", pattern: "^a$" } } };
      expect(compileJsonSchema(schema, { isChecked: true })({ a: "b" })).toEqual(compileJsonSchema(schema)({ a: "b" }));
    }
  });

  test("a schema that refers to itself", () => {
    const tree = { type: "object", properties: { children: { type: "array", items: { $ref: "#" } } }, additionalProperties: false };
    expect(problems(tree, { children: [{ children: [{ name: 1 }] }] })).toEqual(["/children/0/children/0/name is not allowed here"]);
  });

  test("its own name takes no reference along", () => {
    expect(problems({ $id: "https://example.com/a", $ref: "#/$defs/a", $defs: { a: { type: "string" } } }, 1)).toEqual([" must be string"]);
  });
});

describe("dialects", () => {
  test("without a word it is 2020-12; draft-07 has its own lists", () => {
    expect(problems({ prefixItems: [{ type: "string" }] }, [1])).toEqual(["/0 must be string"]);
    const schema = { $schema: "http://json-schema.org/draft-07/schema#", items: [{ type: "string" }], additionalItems: false };
    expect(problems(schema, [1])).toEqual(["/0 must be string"]);
    expect(problems({ ...schema, $schema: "https://json-schema.org/draft-07/schema" }, ["a", "b"])).toEqual([" must NOT have more than 1 items"]);
  });

  test.each<[JsonObject, string, string]>([
    [{ $schema: "http://json-schema.org/draft-04/schema#" }, "/$schema", "this dialect cannot be read"],
    [{ properties: { a: { type: "text" } } }, "/properties/a/type", "must be one of"],
    [{ items: [{}] }, "/items", "must be object,boolean"],
    [{ $ref: "#/$defs/gone" }, "", "can't resolve reference #/$defs/gone"],
    [{ pattern: "[" }, "", "Invalid regular expression"],
  ])("%j is none", (schema, pointer, message) => {
    expect(() => compileJsonSchema(schema)).toThrow(expect.objectContaining({ name: "InvalidSchemaError", pointer, message: expect.stringContaining(message) }) as never);
  });
});

describe("mapSchemas", () => {
  test("knows what is a schema, and where it stands", () => {
    const seen: string[] = [];
    const schema = JSON.parse('{"properties":{"const":{"items":[{}]},"__proto__":{}},"const":{"not":{}},"x-more":{"not":{}},"type":"object"}') as JsonObject;
    const copy = mapSchemas(schema, (each, pointer) => (seen.push(pointer), each));
    expect(seen).toEqual(["/properties/const/items/0", "/properties/const", "/properties/__proto__", "/x-more/not", "/x-more", ""]);
    expect(JSON.stringify(copy)).toBe(JSON.stringify(schema));
  });

  test("gives up where it is too deep", () => {
    const nested = (levels: number): JsonObject => (levels === 0 ? {} : { not: nested(levels - 1) });
    expect(() => mapSchemas(nested(SCHEMA_DEPTH_MAX - 1), (each) => each)).not.toThrow();
    expect(() => mapSchemas(nested(SCHEMA_DEPTH_MAX + 1), (each) => each)).toThrow(SchemaDepthError);
  });
});
