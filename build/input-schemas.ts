/**
 * Writes what models are told of the input of each tool to `src/tools/input-schemas.json`, from the schemas with which that
 * input is parsed: making it anew costs every run a quarter of its start.
 *
 *     bun build/input-schemas.ts
 */
import { join } from "node:path";
import { inputJsonSchema } from "../src/tools/input-json-schema.ts";
import { getAllTools } from "../src/tools/registry.ts";
import { NO_LAUNCHER } from "../test/support/no-launcher.ts";

const FILE = join(import.meta.dir, "..", "src", "tools", "input-schemas.json");

const schemas = Object.fromEntries(getAllTools(NO_LAUNCHER).map((tool) => [tool.name, inputJsonSchema(tool)]));
await Bun.write(FILE, `${JSON.stringify(schemas, undefined, 2)}\n`);
