/** Every setting by the name that `agent config` knows it by. */
export const SETTING_NAMES = [
  "model",
  "modelAliases",
  "thinking",
  "permissionMode",
  "permissions.allow",
  "permissions.ask",
  "permissions.deny",
  "maxTurns",
  "maxBudgetUsd",
  "maxTokens",
  "maxToolCalls",
  "timeout",
  "idleTimeout",
  "waitForLimit",
  "fallbackModels",
  "prices",
  "outputQuota",
  "runOutputQuota",
  "maxOutputTokens",
  "apiAttempts",
] as const;
export type SettingName = (typeof SETTING_NAMES)[number];
