import { Ajv, type ErrorObject, type Options } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { memberPointer } from "../json-pointer.ts";
import type { JsonObject } from "./map-schemas.ts";

/** What is wrong at one place of a value. */
export interface SchemaProblem {
  /** A JSON pointer; empty for the whole value. */
  readonly pointer: string;
  /** Goes on behind the pointer: "must be string". */
  readonly problem: string;
}

/** What was given is no schema; `pointer` says where. */
export class InvalidSchemaError extends Error {
  override readonly name = "InvalidSchemaError";
  readonly pointer: string;

  constructor(message: string, pointer = "", options?: ErrorOptions) {
    super(message, options);
    this.pointer = pointer;
  }
}

/** The dialects that can be read. A schema that names none is of the first. */
export const SCHEMA_DIALECTS = { "2020-12": "https://json-schema.org/draft/2020-12/schema", "draft-07": "http://json-schema.org/draft-07/schema" } as const;

/**
 * Makes what tells the problems of a value; none for one that fits. `format` is a note to whoever reads the schema and
 * checks nothing; keywords that are not known are left alone; a reference reaches what is in the schema itself.
 *
 * Throws an `InvalidSchemaError` for what is no schema of its dialect.
 *
 * @param options.isChecked whether it has been compiled before, so that it need not be held against its dialect again,
 *   which takes most of the time; false unless told
 */
export function compileJsonSchema(schema: JsonObject, { isChecked = false }: { readonly isChecked?: boolean } = {}): (value: unknown) => SchemaProblem[] {
  const { $schema: _dialect, $id: _id, $async: _async, ...rest } = schema;
  const compiler = compilerFor(schema["$schema"], isChecked ? { ...OPTIONS, meta: false, validateSchema: false } : OPTIONS);
  if (!isChecked && compiler.validateSchema(rest) !== true) throw invalidSchema(compiler.errors ?? []);
  const validate = compile(compiler, rest);
  return (value) => {
    if (validate(value)) return [];
    return withoutRepeats((validate.errors ?? []).map(problemOf));
  };
}

const OPTIONS = {
  strict: false,
  allErrors: true,
  // A number beyond all limits could not be written as JSON again.
  strictNumbers: true,
  // Otherwise `toString` counts as a member of every object.
  ownProperties: true,
  validateFormats: false,
  logger: false,
  // A large schema is compiled in half the time, and one answer is judged by it.
  code: { optimize: false },
} as const;

function compilerFor(dialect: unknown, options: Options): Ajv {
  if (dialect === undefined) return new Ajv2020(options);
  const name = typeof dialect === "string" ? dialect.replace(/#$/, "").replace(/^https:/, "http:") : undefined;
  if (name === SCHEMA_DIALECTS["2020-12"].replace(/^https:/, "http:")) return new Ajv2020(options);
  if (name === SCHEMA_DIALECTS["draft-07"]) return new Ajv(options);
  throw new InvalidSchemaError(`this dialect cannot be read; give "${SCHEMA_DIALECTS["2020-12"]}" or "${SCHEMA_DIALECTS["draft-07"]}#", or leave it out`, "/$schema");
}

function compile(compiler: Ajv, schema: JsonObject) {
  try {
    return compiler.compile(schema);
  } catch (error) {
    // A reference to nowhere, a regular expression that is none, nesting beyond what the stack holds.
    throw new InvalidSchemaError(error instanceof Error ? error.message : String(error), "", { cause: error });
  }
}

function invalidSchema(errors: readonly ErrorObject[]): InvalidSchemaError {
  // The first is the nearest to what the author meant; those behind it are of alternatives.
  const [first] = withoutRepeats(errors.map(problemOf));
  return new InvalidSchemaError(first?.problem ?? "is no schema", first?.pointer);
}

function problemOf({ keyword, instancePath, params, message }: ErrorObject): SchemaProblem {
  const details: JsonObject = params;
  switch (keyword) {
    case "required":
      return { pointer: memberPointer(instancePath, String(details["missingProperty"])), problem: "is missing" };
    case "additionalProperties":
      return { pointer: memberPointer(instancePath, String(details["additionalProperty"])), problem: "is not allowed here" };
    case "unevaluatedProperties":
      return { pointer: memberPointer(instancePath, String(details["unevaluatedProperty"])), problem: "is not allowed here" };
    case "enum":
      return { pointer: instancePath, problem: `must be one of ${shortened(JSON.stringify(details["allowedValues"]))}` };
    case "const":
      return { pointer: instancePath, problem: `must be ${shortened(JSON.stringify(details["allowedValue"]))}` };
    default:
      return { pointer: instancePath, problem: shortened(message ?? `breaks "${keyword}"`) };
  }
}

const PROBLEM_CHARS_MAX = 300;

function shortened(text: string): string {
  return text.length > PROBLEM_CHARS_MAX ? `${text.slice(0, PROBLEM_CHARS_MAX)}…` : text;
}

/** Several alternatives may complain of the same thing. */
function withoutRepeats(problems: readonly SchemaProblem[]): SchemaProblem[] {
  return [...new Map(problems.map((each) => [`${each.pointer} ${each.problem}`, each])).values()];
}
