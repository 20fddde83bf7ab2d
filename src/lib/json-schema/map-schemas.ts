import { isRecord } from "../is-record.ts";
import { memberPointer } from "../json-pointer.ts";

/** A JSON Schema, or any other parsed JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** How deep arrays and objects of a schema may be nested. */
export const SCHEMA_DEPTH_MAX = 200;

/** The schema is nested deeper than `SCHEMA_DEPTH_MAX`. */
export class SchemaDepthError extends Error {
  override readonly name = "SchemaDepthError";
}

/**
 * A copy of a schema in which each schema, the innermost first, is what `change` makes of it. Plain values, such as those
 * of `const`, stay as they are, and the names under `properties` are no keywords. What stands under keywords that are not
 * known is taken for schemas too, because references may point there.
 *
 * @param change gets the schema and its JSON pointer
 */
export function mapSchemas(schema: JsonObject, change: (schema: JsonObject, pointer: string) => JsonObject): JsonObject {
  function mapSchema(each: JsonObject, pointer: string, depth: number): JsonObject {
    const members = Object.entries(each).map(([keyword, value]) => [keyword, VALUES.has(keyword) ? value : mapValue(value, memberPointer(pointer, keyword), { depth, isMap: MAPS.has(keyword) })]);
    return change(Object.fromEntries(members), pointer);
  }

  function mapValue(value: unknown, pointer: string, { depth, isMap }: { readonly depth: number; readonly isMap: boolean }): unknown {
    if (depth > SCHEMA_DEPTH_MAX) throw new SchemaDepthError(`A schema may be nested ${SCHEMA_DEPTH_MAX} levels deep`);
    if (Array.isArray(value)) return value.map((element, index) => mapValue(element, memberPointer(pointer, index), { depth: depth + 1, isMap: false }));
    if (!isRecord(value)) return value;
    if (!isMap) return mapSchema(value, pointer, depth + 1);
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapValue(member, memberPointer(pointer, name), { depth: depth + 1, isMap: false })]));
  }

  return mapSchema(schema, "", 1);
}

/** Keywords whose members are named by the author of the schema. */
const MAPS: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"]);
/** Keywords that hold plain values. */
const VALUES: ReadonlySet<string> = new Set(["const", "enum", "default", "example", "examples", "required", "dependentRequired"]);
