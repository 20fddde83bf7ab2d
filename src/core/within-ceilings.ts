import { permissionLeniency } from "./permission-leniency.ts";
import type { SettingLimits } from "./settings.ts";

/** All limits; without a time limit any time is allowed. */
type Limits = Omit<SettingLimits, "timeoutMs"> & { readonly timeoutMs: number | undefined };

/**
 * Lowers limits to what the administrator allows.
 *
 * @returns the limits, and the names of those that were lowered: a flag or a variable must not lose its effect unnoticed
 */
export function withinCeilings(
  limits: Limits,
  ceilings: Partial<SettingLimits>,
): { readonly limits: Limits; readonly lowered: readonly (keyof SettingLimits)[] } {
  const lowered: (keyof SettingLimits)[] = [];
  const lower = (name: keyof SettingLimits, value: number, ceiling: number | undefined): number => {
    if (ceiling === undefined || value <= ceiling) return value;
    lowered.push(name);
    return ceiling;
  };
  const mode = ceilings.permissionMode;
  const isTooLax = mode !== undefined && permissionLeniency(limits.permissionMode) > permissionLeniency(mode);
  if (isTooLax) lowered.push("permissionMode");
  const timeoutMs = lower("timeoutMs", limits.timeoutMs ?? Number.POSITIVE_INFINITY, ceilings.timeoutMs);
  return {
    limits: {
      permissionMode: isTooLax ? mode : limits.permissionMode,
      turnsMax: lower("turnsMax", limits.turnsMax, ceilings.turnsMax),
      timeoutMs: Number.isFinite(timeoutMs) ? timeoutMs : undefined,
      outputBytesMax: lower("outputBytesMax", limits.outputBytesMax, ceilings.outputBytesMax),
      runOutputBytesMax: lower("runOutputBytesMax", limits.runOutputBytesMax, ceilings.runOutputBytesMax),
      outputTokensMax: lower("outputTokensMax", limits.outputTokensMax, ceilings.outputTokensMax),
      apiAttemptsMax: lower("apiAttemptsMax", limits.apiAttemptsMax, ceilings.apiAttemptsMax),
    },
    lowered,
  };
}
