import type { PermissionMode, PermissionRule } from "./permission.ts";
import type { PriceTable } from "./price-table.ts";
import type { Thinking } from "./thinking.ts";

/** What can be limited by a number, and the permission mode, which is a limit too. */
export interface SettingLimits {
  readonly permissionMode: PermissionMode;
  readonly turnsMax: number;
  readonly timeoutMs: number;
  /** How long nothing may happen. */
  readonly idleTimeoutMs: number;
  /** How long a limit of the service is waited for. */
  readonly waitForLimitMs: number;
  readonly budgetUsdMax: number;
  /** Of the whole run. */
  readonly budgetTokensMax: number;
  readonly toolCallsMax: number;
  /** Of the output of one task. */
  readonly outputBytesMax: number;
  /** Of the outputs of all tasks of a run together. */
  readonly runOutputBytesMax: number;
  readonly outputTokensMax: number;
  /** How many requests may be made for one reply. */
  readonly apiAttemptsMax: number;
}

/** What the configuration files of all layers come to, after precedence. Absent keys are decided by defaults. */
export interface Settings extends Partial<SettingLimits> {
  readonly model?: string;
  /** The user's own names for models, over the built-in ones. */
  readonly modelAliases: Readonly<Record<string, string>>;
  /** The models to turn to when the one before does not answer. */
  readonly thinking?: Thinking;
  readonly fallbackModels?: readonly string[];
  /** The user's own prices, over the built-in ones. */
  readonly prices?: PriceTable;
  /** Rules of every layer; each says where it comes from. */
  readonly rules: readonly PermissionRule[];
  /** What the administrator set: flags and environment may not go beyond it either. */
  readonly ceilings: Partial<SettingLimits>;
}
