import { DEFAULT_SETTINGS } from "../../core/default-settings.ts";
import type { SettingLimits, Settings } from "../../core/settings.ts";
import { withinCeilings } from "../../core/within-ceilings.ts";
import type { ArgumentValues } from "../command.ts";
import { byteSizeFlag, countFlag, durationFlag } from "../flag-values.ts";
import type { RUN_ARGUMENTS } from "./arguments.ts";

/** The limits of a run. */
export interface ResolvedLimits {
  readonly limits: Omit<SettingLimits, "timeoutMs"> & { readonly timeoutMs: number | undefined };
  /** Which of them the administrator lowered. */
  readonly warnings: readonly string[];
}

/**
 * Merges flags, their variables, settings and defaults, and keeps all of them within what the administrator allows.
 * Throws an `AppError` of reason `usage` for a value that is no limit.
 */
export function resolveLimits(params: {
  readonly values: Partial<Pick<ArgumentValues<typeof RUN_ARGUMENTS>, "permission-mode" | "max-turns" | "timeout" | "output-quota">>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly settings: Settings;
}): ResolvedLimits {
  const { values, env, settings } = params;
  const outputBytesMax = byteSizeFlag("--output-quota", values["output-quota"]) ?? settings.outputBytesMax ?? DEFAULT_SETTINGS.outputBytesMax;
  const { limits, lowered } = withinCeilings(
    {
      permissionMode: values["permission-mode"] ?? settings.permissionMode ?? DEFAULT_SETTINGS.permissionMode,
      turnsMax: countFlag("--max-turns", values["max-turns"]) ?? settings.turnsMax ?? DEFAULT_SETTINGS.turnsMax,
      timeoutMs: durationFlag("--timeout", values.timeout) ?? settings.timeoutMs,
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
  // That there is no time limit of one's own is nothing to be told about.
  const told = lowered.filter((name) => name !== "timeoutMs" || values.timeout !== undefined);
  return { limits, warnings: told.map((name) => `${LIMIT_LABELS[name]} was lowered to what the administrator allows: ${String(limits[name])}`) };
}

const LIMIT_LABELS: Readonly<Record<keyof SettingLimits, string>> = {
  permissionMode: "--permission-mode",
  turnsMax: "--max-turns",
  timeoutMs: "--timeout (in milliseconds)",
  outputBytesMax: "--output-quota (in bytes)",
  runOutputBytesMax: "AGENT_RUN_OUTPUT_QUOTA (in bytes)",
  outputTokensMax: "maxOutputTokens",
  apiAttemptsMax: "AGENT_API_ATTEMPTS",
};
