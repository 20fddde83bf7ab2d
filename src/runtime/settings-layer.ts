import type { PermissionRule } from "../core/permission.ts";
import type { SettingsFile } from "../core/settings-schema.ts";

/** Where a configuration file stands. `project` and `local` come with the working directory, which others may have written. */
export type SettingsLayerName = "managed" | "user" | "project" | "local";

/** One configuration file that was read and is valid. */
export interface SettingsLayer {
  readonly name: SettingsLayerName;
  readonly file: string;
  readonly values: SettingsFile;
  /** Those of `values.permissions`, parsed. */
  readonly rules: readonly PermissionRule[];
  /** What the file holds beside settings, and where: `hooks`, `permissions.alow`. */
  readonly unknownKeys: readonly { readonly key: string; readonly line: number }[];
}

/** Whether a layer may only narrow what others allow. */
export function isUntrustedLayer(name: SettingsLayerName): name is "project" | "local" {
  return name === "project" || name === "local";
}
