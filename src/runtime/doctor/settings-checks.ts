import { AppError } from "../../core/errors.ts";
import { DEFAULT_MODEL, resolveModelAlias } from "../../model/aliases.ts";
import { checkModel } from "../../model/check-model.ts";
import { readEndpoint } from "../../model/credentials.ts";
import { SCRIPTED_PREFIX } from "../../model/model-name.ts";
import type { StatePaths } from "../../platform/state-paths.ts";
import { loadSettings } from "../load-settings.ts";
import type { Check } from "./check.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The configuration files, and whether the model that they and the environment name can be asked. Contacts nobody. */
export async function settingsChecks({ env, cwd, paths }: { readonly env: Env; readonly cwd: string; readonly paths: StatePaths }): Promise<Check[]> {
  const name = "settings";
  try {
    const { settings, warnings } = await loadSettings({ cwd, paths });
    const model = resolveModelAlias(env["AGENT_MODEL"] || settings.model || DEFAULT_MODEL, settings.modelAliases);
    return [
      ...warnings.map((message): Check => ({ name, status: "warn", message })),
      ...(warnings.length === 0 ? [{ name, status: "ok", message: `"${paths.config}" and the other configuration files are valid, or missing` } as const] : []),
      modelCheck({ model, env, cwd }),
    ];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [{ name, status: "fail", message: error.message, advice: 'mend the file, or see "agent help config"' }];
  }
}

function modelCheck({ model, env, cwd }: { readonly model: string; readonly env: Env; readonly cwd: string }): Check {
  const name = "model";
  try {
    const { warnings } = checkModel({ model, env, cwd });
    if (warnings[0] !== undefined) return { name, status: "warn", message: warnings.join("; "), advice: "unset the one that is not meant" };
    return { name, status: "ok", message: model.startsWith(SCRIPTED_PREFIX) ? `"${model}" needs no service` : `"${model}" at ${describeEndpoint(env)}` };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const [message = "", ...rest] = error.message.split("\n");
    // Without credentials everything but a conversation works.
    return { name, status: error.reason === "auth" ? "warn" : "fail", message: message.replace(/:?( Three ways to go on)?:?$/, ""), ...(rest.length === 0 ? {} : { advice: rest.map((line) => line.trim()).join("; ") }) };
  }
}

function describeEndpoint(env: Env): string {
  const { baseUrl, credential } = readEndpoint(env);
  return `${baseUrl}, with ${credential.type === "api_key" ? "an API key" : "an access token"}; it was not contacted`;
}
