import type { ModelFetch } from "./anthropic.ts";
import type { ModelClient } from "./client.ts";
import { readEndpoint, type Env } from "./credentials.ts";
import { parseModelName, type ModelNameOptions } from "./model-name.ts";

export interface OpenModelOptions extends ModelNameOptions {
  readonly env: Env;
  /** The built-in `fetch` unless given. */
  readonly fetch?: ModelFetch;
}

/**
 * Opens the model that a name stands for. Loads only what that model needs, and sends nothing.
 *
 * Rejects with `AppError`, as `checkModel` throws it, or of reason `usage` for a script that is none.
 */
export async function openModel(options: OpenModelOptions): Promise<ModelClient> {
  const name = parseModelName(options);
  if (name.type === "script") {
    const { openScriptedModel } = await import("./scripted.ts");
    return openScriptedModel(options.model, name.script);
  }
  const { env, fetch } = options;
  const endpoint = readEndpoint(env);
  const { openAnthropicModel } = await import("./anthropic.ts");
  return openAnthropicModel({ model: name.id, endpoint, ...(fetch !== undefined && { fetch }) });
}
