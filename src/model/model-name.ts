import { resolve } from "node:path";
import { AppError } from "../core/errors.ts";
import { resolveModelAlias } from "./aliases.ts";

export const SCRIPTED_PREFIX = "scripted:";
export const DEMO_SCRIPT = "demo";

/** What a model's name asks for: a script (`demo`, or the absolute path of a file), or a model of the service. */
export type ModelName = { readonly type: "script"; readonly script: string } | { readonly type: "service"; readonly id: string };

export interface ModelNameOptions {
  /** An alias, a model id, `scripted:demo` or `scripted:FILE`. */
  readonly model: string;
  /** Where a relative FILE starts. */
  readonly cwd: string;
  /** Aliases of the user's configuration, where they were not yet looked at. */
  readonly aliases?: Readonly<Record<string, string>>;
}

/** Reads a model's name. Throws `AppError` of reason `usage` where it names nothing. */
export function parseModelName({ model, cwd, aliases }: ModelNameOptions): ModelName {
  // Before aliases, so that no alias can turn a model into a script.
  if (model.startsWith(SCRIPTED_PREFIX)) return { type: "script", script: scriptOf(model, cwd) };
  const id = resolveModelAlias(model, aliases);
  if (id.trim() === "") throw invalidModel(model, "name a model, or leave out --model");
  return { type: "service", id };
}

function scriptOf(model: string, cwd: string): string {
  const script = model.slice(SCRIPTED_PREFIX.length);
  if (script === "") throw invalidModel(model, "name a script, as in scripted:demo or scripted:FILE");
  return script === DEMO_SCRIPT ? script : resolve(cwd, script);
}

function invalidModel(model: string, whatToDo: string): AppError {
  return new AppError("usage", `Cannot use the model "${model}": ${whatToDo}`, { code: "invalid_model" });
}
