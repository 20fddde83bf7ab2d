import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../src/lib/json-schema/map-schemas.ts";
import { answerSchema } from "../../src/tools/answer-schema.ts";

const wrapped = (result: JsonObject) => ({ isWrapped: true, inputSchema: { type: "object", properties: { result }, required: ["result"], additionalProperties: false } });

test("an object goes to the service as it is, without names", () => {
  const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
  expect(answerSchema({ $schema: "https://json-schema.org/draft/2020-12/schema", $id: "https://example.com/a", ...schema })).toEqual({ isWrapped: false, inputSchema: schema });
});

describe("what the service does not take as input is wrapped", () => {
  test.each<[string, JsonObject]>([
    ["a list", { type: "array" }],
    ["no type", {}],
    ["several types", { type: ["object", "null"] }],
    ["oneOf", { type: "object", oneOf: [{}] }],
    ["anyOf", { type: "object", anyOf: [{}] }],
    ["allOf", { type: "object", allOf: [{}] }],
    ["a name beyond ASCII", { type: "object", properties: { größe: {} } }],
    ["a long name", { type: "object", properties: { ["x".repeat(65)]: {} } }],
    ["a name of a prototype", JSON.parse('{"type":"array","properties":{"__proto__":{}}}') as JsonObject],
  ])("%s", (_name, schema) => {
    const { inputSchema } = answerSchema(schema);
    expect(JSON.stringify(inputSchema)).toBe(JSON.stringify(wrapped(schema).inputSchema));
  });

  test("references follow, plain values do not", () => {
    const schema = { $ref: "#/definitions/node", definitions: { node: { items: { $ref: "#" }, const: { $ref: "#/a" } }, other: { $ref: "#anchor" } } };
    expect(answerSchema(schema)).toEqual(
      wrapped({
        $ref: "#/properties/result/definitions/node",
        definitions: { node: { items: { $ref: "#/properties/result" }, const: { $ref: "#/a" } }, other: { $ref: "#anchor" } },
      }),
    );
  });
});

test("lists of draft-07 become those of the dialect that the service knows", () => {
  expect(answerSchema({ $schema: "http://json-schema.org/draft-07/schema#", type: "object", properties: { a: { items: [{ type: "string" }], additionalItems: false } } }).inputSchema).toEqual({
    type: "object",
    properties: { a: { prefixItems: [{ type: "string" }], items: false } },
  });
});
