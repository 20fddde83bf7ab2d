import type { PermissionMode } from "./permission.ts";

/**
 * How much a permission mode lets through: of two modes the lower one is stricter. `dontAsk` counts as `default`: it
 * answers what that asks, and allows the same.
 */
export function permissionLeniency(mode: PermissionMode): number {
  return LENIENCY[mode];
}

const LENIENCY: Readonly<Record<PermissionMode, number>> = { plan: 0, dontAsk: 1, default: 1, acceptEdits: 2, bypassPermissions: 3 };
