import { isRecord } from "../lib/is-record.ts";
import { mapSchemas, type JsonObject } from "../lib/json-schema/map-schemas.ts";

/** The member that holds an answer where it cannot be the input itself. */
export const WRAPPED_ANSWER = "result";

/** How a model passes an answer to a tool. */
export interface AnswerSchema {
  /** As the service takes it: an object at the root, of the dialect that the service knows. */
  readonly inputSchema: JsonObject;
  /** Whether the answer is the `result` of the input and not the input. */
  readonly isWrapped: boolean;
}

/**
 * The input schema of a tool whose input is an answer of the given schema. The service takes plain objects alone: where
 * the root is anything else, or combines schemas, or has names that it refuses, the answer is wrapped as
 * `{"result": answer}`.
 */
export function answerSchema(schema: JsonObject): AnswerSchema {
  const plain = mapSchemas(schema, forService);
  if (isPlainObject(plain)) return { inputSchema: plain, isWrapped: false };
  return {
    inputSchema: { type: "object", properties: { [WRAPPED_ANSWER]: mapSchemas(plain, moved) }, required: [WRAPPED_ANSWER], additionalProperties: false },
    isWrapped: true,
  };
}

const COMBINING = ["oneOf", "anyOf", "allOf", "not", "if", "enum", "const", "$ref", "$dynamicRef", "$recursiveRef"];
/** What the service takes as a name of a member of tool input. */
const MEMBER_NAME = /^[\w.-]{1,64}$/;

function isPlainObject(schema: JsonObject): boolean {
  const { properties } = schema;
  if (schema["type"] !== "object" || COMBINING.some((keyword) => Object.hasOwn(schema, keyword))) return false;
  return properties === undefined || (isRecord(properties) && Object.keys(properties).every((name) => MEMBER_NAME.test(name)));
}

/** Without names, which say nothing to a model, and with lists of the newer dialect. */
function forService(schema: JsonObject): JsonObject {
  const { $schema: _dialect, $id: _id, $async: _async, ...rest } = schema;
  if (!Array.isArray(rest["items"])) return rest;
  const { items, additionalItems, ...others } = rest;
  return { ...others, prefixItems: items, ...(additionalItems === undefined ? {} : { items: additionalItems }) };
}

/** References from the root lead to where the schema is now. */
function moved(schema: JsonObject): JsonObject {
  const references = Object.entries(schema).filter(([keyword, value]) => /^\$(dynamic|recursive)?[rR]ef$/.test(keyword) && typeof value === "string" && /^#(\/|$)/.test(value));
  return { ...schema, ...Object.fromEntries(references.map(([keyword, value]) => [keyword, `#/properties/${WRAPPED_ANSWER}${String(value).slice(1)}`])) };
}
