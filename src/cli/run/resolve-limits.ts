import { DEFAULT_SETTINGS } from "../../core/default-settings.ts";
import type { SettingLimits, Settings } from "../../core/settings.ts";
import { OPEN_LIMITS, withinCeilings, type RunLimitValues } from "../../core/within-ceilings.ts";
import type { ArgumentValues } from "../command.ts";
import type { SavedLimits } from "../../runtime/saved-limits.ts";
import { byteSizeFlag, countFlag, dollarsFlag, durationFlag } from "../flag-values.ts";
import type { RUN_ARGUMENTS } from "./arguments.ts";

/** The limits of a run. */
export interface ResolvedLimits {
  readonly limits: RunLimitValues;
  /** Which of them the administrator lowered. */
  readonly warnings: readonly string[];
}

/**
 * Merges flags, their variables, settings and defaults, and keeps all of them within what the administrator allows.
 * Throws an `AppError` of reason `usage` for a value that is no limit.
 *
 * @param params.saved of the conversation that is gone on with; they go before settings
 */
export function resolveLimits(params: {
  readonly values: Partial<Pick<ArgumentValues<typeof RUN_ARGUMENTS>, "permission-mode" | "max-turns" | "timeout" | "output-quota" | LimitFlag>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly settings: Settings;
  readonly saved?: SavedLimits | undefined;
}): ResolvedLimits {
  const { values, env, settings, saved = {} } = params;
  const own = { ...settings, ...saved };
  const outputBytesMax = byteSizeFlag("--output-quota", values["output-quota"]) ?? settings.outputBytesMax ?? DEFAULT_SETTINGS.outputBytesMax;
  const { limits, lowered } = withinCeilings(
    {
      permissionMode: values["permission-mode"] ?? settings.permissionMode ?? DEFAULT_SETTINGS.permissionMode,
      turnsMax: countFlag("--max-turns", values["max-turns"]) ?? settings.turnsMax ?? DEFAULT_SETTINGS.turnsMax,
      timeoutMs: durationFlag("--timeout", values.timeout) ?? settings.timeoutMs,
      idleTimeoutMs: durationFlag("--idle-timeout", values["idle-timeout"]) ?? own.idleTimeoutMs,
      waitForLimitMs: durationFlag("--wait-for-limit", values["wait-for-limit"]) ?? own.waitForLimitMs,
      budgetUsdMax: dollarsFlag("--max-budget-usd", values["max-budget-usd"]) ?? own.budgetUsdMax,
      budgetTokensMax: countFlag("--max-tokens", values["max-tokens"]) ?? own.budgetTokensMax,
      toolCallsMax: countFlag("--max-tool-calls", values["max-tool-calls"]) ?? own.toolCallsMax,
      outputBytesMax,
      runOutputBytesMax:
        byteSizeFlag("AGENT_RUN_OUTPUT_QUOTA", env["AGENT_RUN_OUTPUT_QUOTA"] || undefined) ??
        settings.runOutputBytesMax ??
        // Whoever allows one task more has said nothing against it.
        Math.max(outputBytesMax, DEFAULT_SETTINGS.runOutputBytesMax),
      outputTokensMax: settings.outputTokensMax ?? DEFAULT_SETTINGS.outputTokensMax,
      apiAttemptsMax: countFlag("AGENT_API_ATTEMPTS", env["AGENT_API_ATTEMPTS"]) ?? settings.apiAttemptsMax ?? DEFAULT_SETTINGS.apiAttemptsMax,
    },
    settings.ceilings,
  );
  // That there is no limit of one's own is nothing to be told about.
  const unset = OPEN_LIMITS.filter((name) => values[OPEN_LIMIT_FLAGS[name]] === undefined);
  const told = lowered.filter((name) => !unset.some((each) => each === name));
  return { limits, warnings: told.map((name) => `${LIMIT_LABELS[name]} was lowered to what the administrator allows: ${String(limits[name])}`) };
}

type LimitFlag = "timeout" | "idle-timeout" | "wait-for-limit" | "max-budget-usd" | "max-tokens" | "max-tool-calls";

const OPEN_LIMIT_FLAGS: Readonly<Record<(typeof OPEN_LIMITS)[number], LimitFlag>> = {
  timeoutMs: "timeout",
  idleTimeoutMs: "idle-timeout",
  waitForLimitMs: "wait-for-limit",
  budgetUsdMax: "max-budget-usd",
  budgetTokensMax: "max-tokens",
  toolCallsMax: "max-tool-calls",
};

const LIMIT_LABELS: Readonly<Record<keyof SettingLimits, string>> = {
  permissionMode: "--permission-mode",
  turnsMax: "--max-turns",
  timeoutMs: "--timeout (in milliseconds)",
  idleTimeoutMs: "--idle-timeout (in milliseconds)",
  waitForLimitMs: "--wait-for-limit (in milliseconds)",
  budgetUsdMax: "--max-budget-usd",
  budgetTokensMax: "--max-tokens",
  toolCallsMax: "--max-tool-calls",
  outputBytesMax: "--output-quota (in bytes)",
  runOutputBytesMax: "AGENT_RUN_OUTPUT_QUOTA (in bytes)",
  outputTokensMax: "maxOutputTokens",
  apiAttemptsMax: "AGENT_API_ATTEMPTS",
};
