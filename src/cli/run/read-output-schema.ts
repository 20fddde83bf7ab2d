import { AppError, errorMessage } from "../../core/errors.ts";
import { formatByteSize } from "../../lib/byte-size.ts";
import { isRecord } from "../../lib/is-record.ts";
import { pathOfPointer } from "../../lib/json-pointer.ts";
import { compileJsonSchema, InvalidSchemaError } from "../../lib/json-schema/compile-json-schema.ts";
import { mapSchemas, SchemaDepthError, type JsonObject } from "../../lib/json-schema/map-schemas.ts";
import { JsoncError, parseJsonc, type JsoncDocument, type TextPosition } from "../../lib/jsonc.ts";
import { readTextFile } from "../../platform/read-text-file.ts";

export const OUTPUT_SCHEMA_BYTES_MAX = 256 * 1_024;

/**
 * The schema that `--json-schema` names: JSON where the value begins with `{`, else a file. Throws an `AppError` of reason
 * `usage` with place and reason where it is none that a run can be held to.
 */
export function readOutputSchema(value: string): JsonObject {
  const isInline = value.trimStart().startsWith("{");
  const source = isInline ? "the value of --json-schema" : value;
  const text = isInline ? value : readFile(value);
  if (Buffer.byteLength(text) > OUTPUT_SCHEMA_BYTES_MAX) throw tooLarge(source);
  const document = parseDocument(text, source);
  const schema = parseStrictly(text, source);
  if (!isRecord(schema)) throw invalid(source, document.positionOf([]), "a schema is an object, as in {\"type\":\"object\",\"properties\":{…}}");
  const problemAt = (pointer: string, problem: string) => invalid(source, document.positionOf(pathOfPointer(pointer, schema)), pointer === "" ? problem : `at "${pointer}": ${problem}`);
  try {
    mapSchemas(schema, (each, pointer) => withLocalNames(each, pointer, problemAt));
    compileJsonSchema(schema);
  } catch (error) {
    if (error instanceof InvalidSchemaError) throw problemAt(error.pointer, withHint(error, schema));
    if (error instanceof SchemaDepthError || error instanceof RangeError) throw problemAt("", "it is nested too deeply");
    throw error;
  }
  return schema;
}

function readFile(path: string): string {
  try {
    const read = readTextFile(path, { bytesMax: OUTPUT_SCHEMA_BYTES_MAX, followLinks: true });
    if (read === undefined) throw unreadable(path, "it is not a file");
    if (read.isCut) throw tooLarge(path);
    // What editors put in front is no part of the text.
    return read.text.replace(/^\uFEFF/, "");
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw unreadable(path, errorMessage(error), error);
  }
}

/** Knows the places in the text, and is stricter about repeated names than a parser of values. */
function parseDocument(text: string, source: string): JsoncDocument {
  try {
    return parseJsonc(text);
  } catch (error) {
    if (!(error instanceof JsoncError)) throw error;
    throw invalid(source, error.position, error.message);
  }
}

function parseStrictly(text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid(source, { line: 1, column: 1 }, `it is no plain JSON; comments and commas behind the last value have to go (${errorMessage(error)})`);
  }
}

/** A schema stands for itself: nothing is fetched, and no name inside it changes what a reference means. */
function withLocalNames(schema: JsonObject, pointer: string, problemAt: (pointer: string, problem: string) => AppError): JsonObject {
  for (const keyword of ["$ref", "$dynamicRef", "$recursiveRef"]) {
    const reference = schema[keyword];
    if (typeof reference === "string" && !reference.startsWith("#")) {
      throw problemAt(`${pointer}/${keyword}`, `"${reference}" is outside of the schema and is not fetched; copy it into "$defs" and refer to "#/$defs/NAME"`);
    }
  }
  if (pointer !== "" && typeof schema["$id"] === "string") throw problemAt(`${pointer}/$id`, "only the whole schema may have an \"$id\"; leave it out");
  return schema;
}

/** A keyword that is refused may be one of another dialect. */
function withHint({ message, pointer }: InvalidSchemaError, schema: JsonObject): string {
  return schema["$schema"] === undefined && pointer !== "" ? `${message}; it is read as draft 2020-12, name another dialect with "$schema"` : message;
}

function invalid(source: string, { line, column }: TextPosition, problem: string): AppError {
  return new AppError("usage", `Invalid JSON Schema at ${source}:${line}:${column}: ${problem}`, { code: "invalid_json_schema" });
}

function tooLarge(source: string): AppError {
  return new AppError("usage", `Invalid JSON Schema in ${source}: it is larger than ${formatByteSize(OUTPUT_SCHEMA_BYTES_MAX)}; leave out what the answer does not need`, { code: "invalid_json_schema" });
}

function unreadable(path: string, problem: string, cause?: unknown): AppError {
  return new AppError("usage", `Cannot read the JSON Schema "${path}": ${problem}; give a file, or the schema itself beginning with "{"`, { code: "invalid_json_schema", cause });
}
