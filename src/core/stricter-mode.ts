import { permissionLeniency } from "./permission-leniency.ts";
import type { PermissionMode } from "./permission.ts";

/** The one of two modes that lets less through. Of two that let the same through it is `dontAsk`, which asks nobody. */
export function stricterMode(mode: PermissionMode, other: PermissionMode | undefined): PermissionMode {
  if (other === undefined) return mode;
  const difference = permissionLeniency(other) - permissionLeniency(mode);
  return difference < 0 || (difference === 0 && other === "dontAsk") ? other : mode;
}
