import { permissionLeniency } from "./permission-leniency.ts";
import type { SettingLimits } from "./settings.ts";

/** The limits that no default sets: without one of them anything is allowed. */
export const OPEN_LIMITS = ["timeoutMs", "idleTimeoutMs", "waitForLimitMs", "budgetUsdMax", "budgetTokensMax", "toolCallsMax"] as const;
type OpenLimit = (typeof OPEN_LIMITS)[number];

/** All limits of a run. */
export type RunLimitValues = Omit<SettingLimits, OpenLimit> & { readonly [Name in OpenLimit]?: number | undefined };

type NumberLimit = Exclude<keyof SettingLimits, "permissionMode">;

/**
 * Lowers limits to what the administrator allows.
 *
 * @returns the limits, and the names of those that were lowered: a flag or a variable must not lose its effect unnoticed
 */
export function withinCeilings(
  limits: RunLimitValues,
  ceilings: Partial<SettingLimits>,
): { readonly limits: RunLimitValues; readonly lowered: readonly (keyof SettingLimits)[] } {
  const lowered: (keyof SettingLimits)[] = [];
  const lower = (name: NumberLimit): number => {
    const value = limits[name] ?? Number.POSITIVE_INFINITY;
    const ceiling = ceilings[name];
    if (ceiling === undefined || value <= ceiling) return value;
    lowered.push(name);
    return ceiling;
  };
  const mode = ceilings.permissionMode;
  const isTooLax = mode !== undefined && permissionLeniency(limits.permissionMode) > permissionLeniency(mode);
  if (isTooLax) lowered.push("permissionMode");
  const open = OPEN_LIMITS.map((name) => [name, lower(name)] as const).filter(([, value]) => Number.isFinite(value));
  return {
    limits: {
      ...Object.fromEntries(open),
      permissionMode: isTooLax ? mode : limits.permissionMode,
      turnsMax: lower("turnsMax"),
      outputBytesMax: lower("outputBytesMax"),
      runOutputBytesMax: lower("runOutputBytesMax"),
      outputTokensMax: lower("outputTokensMax"),
      apiAttemptsMax: lower("apiAttemptsMax"),
    },
    lowered,
  };
}
