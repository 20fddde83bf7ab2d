import { DEFAULT_SETTINGS } from "../core/default-settings.ts";
import { permissionLeniency } from "../core/permission-leniency.ts";
import type { PriceTable } from "../core/price-table.ts";
import type { SettingName } from "../core/setting-names.ts";
import type { SettingsFile } from "../core/settings-schema.ts";
import type { Settings } from "../core/settings.ts";
import type { Thinking } from "../core/thinking.ts";
import { parseByteSize } from "../lib/byte-size.ts";
import { parseDurationMs } from "../lib/duration.ts";
import { decideChoice, decideLimit, decideUnion, type SettingDecision } from "./setting-decision.ts";
import type { SettingsLayer, SettingsLayerName } from "./settings-layer.ts";

export interface MergedSettings {
  readonly settings: Settings;
  readonly decisions: Readonly<Record<SettingName, SettingDecision>>;
}

/**
 * Puts the layers together. Trusted are the administrator's and the user's: a single value is the administrator's or else
 * the user's, the stricter of two limits holds, and rules add up. Files that come with the working directory can narrow
 * and nothing else: their deny and ask rules count, and limits that are stricter than those of all trusted layers.
 *
 * @param layers in any order, at most one of each name
 */
export function mergeSettings(layers: readonly SettingsLayer[]): MergedSettings {
  const ordered = STRONGEST_FIRST.flatMap((name) => layers.filter((layer) => layer.name === name));
  const decisions = decide(ordered);
  const managed = ordered.find(({ name }) => name === "managed")?.values ?? {};
  return {
    settings: {
      ...(decisions.model.value === undefined ? {} : { model: decisions.model.value }),
      modelAliases: decisions.modelAliases.value ?? {},
      ...(decisions.thinking.value === undefined || decisions.thinking.value === "inherit" ? {} : { thinking: decisions.thinking.value }),
      ...(decisions.fallbackModels.value === undefined ? {} : { fallbackModels: decisions.fallbackModels.value }),
      ...(decisions.prices.value === undefined ? {} : { prices: pricesOf(decisions.prices.value) }),
      rules: ordered.flatMap(({ rules }) => rules),
      ...limitsOf({
        permissionMode: decisions.permissionMode.value,
        maxTurns: decisions.maxTurns.value,
        maxBudgetUsd: decisions.maxBudgetUsd.value,
        maxTokens: decisions.maxTokens.value,
        maxToolCalls: decisions.maxToolCalls.value,
        timeout: decisions.timeout.value,
        idleTimeout: decisions.idleTimeout.value,
        waitForLimit: decisions.waitForLimit.value,
        outputQuota: decisions.outputQuota.value,
        runOutputQuota: decisions.runOutputQuota.value,
        maxOutputTokens: decisions.maxOutputTokens.value,
        apiAttempts: decisions.apiAttempts.value,
      }),
      ceilings: limitsOf(managed),
    },
    decisions,
  };
}

const STRONGEST_FIRST: readonly SettingsLayerName[] = ["managed", "local", "project", "user"];

function decide(layers: readonly SettingsLayer[]) {
  const { permissionMode, turnsMax, outputBytesMax, runOutputBytesMax, outputTokensMax, apiAttemptsMax } = DEFAULT_SETTINGS;
  const count = { rank: Number, mayNarrow: true };
  const time = { rank: millisecondsOf, builtIn: undefined };
  const rules = { combine: (lists: readonly (readonly string[])[]) => lists.flat() };
  return {
    model: decideChoice(layers, (values) => values.model),
    modelAliases: decideUnion(layers, { read: (values) => values.modelAliases, combine: joinTables, isOpenToAll: false }),
    thinking: decideChoice<Thinking | "inherit">(layers, (values) => values.thinking),
    fallbackModels: decideChoice<readonly string[]>(layers, (values) => values.fallbackModels),
    // A project that could lower prices could spend more than its user allows.
    prices: decideUnion(layers, { read: (values) => values.prices, combine: joinTables, isOpenToAll: false }),
    permissionMode: decideLimit(layers, { read: (values) => values.permissionMode, rank: permissionLeniency, builtIn: permissionMode, mayNarrow: true }),
    "permissions.allow": decideUnion<readonly string[]>(layers, { ...rules, read: (values) => values.permissions?.allow, isOpenToAll: false }),
    "permissions.ask": decideUnion<readonly string[]>(layers, { ...rules, read: (values) => values.permissions?.ask, isOpenToAll: true }),
    "permissions.deny": decideUnion<readonly string[]>(layers, { ...rules, read: (values) => values.permissions?.deny, isOpenToAll: true }),
    maxTurns: decideLimit<number>(layers, { ...count, read: (values) => values.maxTurns, builtIn: turnsMax }),
    maxBudgetUsd: decideLimit<number>(layers, { ...count, read: (values) => values.maxBudgetUsd, builtIn: undefined }),
    maxTokens: decideLimit<number>(layers, { ...count, read: (values) => values.maxTokens, builtIn: undefined }),
    maxToolCalls: decideLimit<number>(layers, { ...count, read: (values) => values.maxToolCalls, builtIn: undefined }),
    timeout: decideLimit<string>(layers, { ...time, read: (values) => values.timeout, mayNarrow: true }),
    idleTimeout: decideLimit<string>(layers, { ...time, read: (values) => values.idleTimeout, mayNarrow: true }),
    waitForLimit: decideLimit<string>(layers, { ...time, read: (values) => values.waitForLimit, mayNarrow: false }),
    outputQuota: decideLimit<string>(layers, { read: (values) => values.outputQuota, rank: bytesOf, builtIn: String(outputBytesMax), mayNarrow: true }),
    runOutputQuota: decideLimit<string>(layers, { read: (values) => values.runOutputQuota, rank: bytesOf, builtIn: String(runOutputBytesMax), mayNarrow: true }),
    maxOutputTokens: decideLimit<number>(layers, { ...count, read: (values) => values.maxOutputTokens, builtIn: outputTokensMax, mayNarrow: false }),
    apiAttempts: decideLimit<number>(layers, { ...count, read: (values) => values.apiAttempts, builtIn: apiAttemptsMax, mayNarrow: false }),
  };
}

/** The first table's entries go before all others. */
function joinTables<Value>(tables: readonly Readonly<Record<string, Value>>[]): Record<string, Value> {
  return Object.fromEntries(tables.toReversed().flatMap((table) => Object.entries(table)));
}

function limitsOf(values: SettingsFile): Settings["ceilings"] {
  return {
    ...(values.permissionMode === undefined ? {} : { permissionMode: values.permissionMode }),
    ...(values.maxTurns === undefined ? {} : { turnsMax: values.maxTurns }),
    ...(values.maxBudgetUsd === undefined ? {} : { budgetUsdMax: values.maxBudgetUsd }),
    ...(values.maxTokens === undefined ? {} : { budgetTokensMax: values.maxTokens }),
    ...(values.maxToolCalls === undefined ? {} : { toolCallsMax: values.maxToolCalls }),
    ...(values.timeout === undefined ? {} : { timeoutMs: millisecondsOf(values.timeout) }),
    ...(values.idleTimeout === undefined ? {} : { idleTimeoutMs: millisecondsOf(values.idleTimeout) }),
    ...(values.waitForLimit === undefined ? {} : { waitForLimitMs: millisecondsOf(values.waitForLimit) }),
    ...(values.outputQuota === undefined ? {} : { outputBytesMax: bytesOf(values.outputQuota) }),
    ...(values.runOutputQuota === undefined ? {} : { runOutputBytesMax: bytesOf(values.runOutputQuota) }),
    ...(values.maxOutputTokens === undefined ? {} : { outputTokensMax: values.maxOutputTokens }),
    ...(values.apiAttempts === undefined ? {} : { apiAttemptsMax: values.apiAttempts }),
  };
}

/** Without a price of its own the cache costs as any other input. */
function pricesOf(table: NonNullable<SettingsFile["prices"]>): PriceTable {
  return Object.fromEntries(Object.entries(table).map(([model, { input, output, cacheRead = input, cacheWrite = input }]) => [model, { input, output, cacheRead, cacheWrite }]));
}

/** The schema lets through only what is a time. */
function millisecondsOf(text: string): number {
  return parseDurationMs(text) ?? Number.POSITIVE_INFINITY;
}

function bytesOf(text: string): number {
  return parseByteSize(text) ?? Number.POSITIVE_INFINITY;
}
