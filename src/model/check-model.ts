import { readEndpoint, type Env } from "./credentials.ts";
import { DEMO_SCRIPT, parseModelName, type ModelNameOptions } from "./model-name.ts";
import { checkScriptFile } from "./script-file.ts";

/**
 * Checks, without loading or sending anything, that a model can be asked.
 *
 * Throws `AppError`: `auth` where credentials are missing, naming the ways to go on; `usage` for an empty name, a base
 * URL that is none, and a script that cannot be read.
 *
 * @returns what a user should be told once
 */
export function checkModel(options: ModelNameOptions & { readonly env: Env }): { readonly warnings: readonly string[] } {
  const name = parseModelName(options);
  if (name.type === "service") return { warnings: readEndpoint(options.env).warnings };
  if (name.script !== DEMO_SCRIPT) checkScriptFile(name.script);
  return { warnings: [] };
}
