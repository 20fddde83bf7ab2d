import { DEFAULT_SETTINGS } from "../../core/default-settings.ts";
import type { SettingName } from "../../core/setting-names.ts";
import { DEFAULT_MODEL } from "../../model/aliases.ts";
import type { RUN_ARGUMENTS } from "../run/arguments.ts";

/** Where a setting comes from beside configuration files. */
export interface SettingSources {
  /** Of `agent run`; its definition names the variable. */
  readonly flag?: keyof typeof RUN_ARGUMENTS;
  /** The variable of a setting that has no flag. */
  readonly env?: string;
  /** As it would stand in a file; null where nothing holds. */
  readonly builtIn: unknown;
}

export const SETTING_SOURCES: Readonly<Record<SettingName, SettingSources>> = {
  model: { flag: "model", builtIn: DEFAULT_MODEL },
  modelAliases: { builtIn: {} },
  permissionMode: { flag: "permission-mode", builtIn: DEFAULT_SETTINGS.permissionMode },
  "permissions.allow": { flag: "allow", builtIn: [] },
  "permissions.ask": { builtIn: [] },
  "permissions.deny": { flag: "deny", builtIn: [] },
  maxTurns: { flag: "max-turns", builtIn: DEFAULT_SETTINGS.turnsMax },
  maxBudgetUsd: { flag: "max-budget-usd", builtIn: null },
  maxTokens: { flag: "max-tokens", builtIn: null },
  maxToolCalls: { flag: "max-tool-calls", builtIn: null },
  timeout: { flag: "timeout", builtIn: null },
  idleTimeout: { flag: "idle-timeout", builtIn: null },
  waitForLimit: { flag: "wait-for-limit", builtIn: "60s" },
  thinking: { flag: "thinking", builtIn: null },
  fallbackModels: { builtIn: [] },
  prices: { builtIn: {} },
  outputQuota: { flag: "output-quota", builtIn: `${DEFAULT_SETTINGS.outputBytesMax / 1_048_576}MiB` },
  runOutputQuota: { env: "AGENT_RUN_OUTPUT_QUOTA", builtIn: `${DEFAULT_SETTINGS.runOutputBytesMax / 1_024 ** 3}GiB` },
  maxOutputTokens: { builtIn: DEFAULT_SETTINGS.outputTokensMax },
  apiAttempts: { env: "AGENT_API_ATTEMPTS", builtIn: DEFAULT_SETTINGS.apiAttemptsMax },
};
