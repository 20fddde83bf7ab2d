import { describe, expect, test } from "bun:test";
import type { SettingsFile } from "../../src/core/settings-schema.ts";
import { mergeSettings } from "../../src/runtime/merge-settings.ts";
import { parseSettings } from "../../src/runtime/parse-settings.ts";
import type { SettingsLayer, SettingsLayerName } from "../../src/runtime/settings-layer.ts";

type Files = Partial<Record<SettingsLayerName, SettingsFile>>;

describe("a single value", () => {
  test.each<[Files, string | undefined]>([
    [{}, undefined],
    [{ user: { model: "u" } }, "u"],
    [{ user: { model: "u" }, managed: { model: "m" } }, "m"],
    [{ project: { model: "p" }, local: { model: "l" } }, undefined],
    [{ user: { model: "u" }, project: { model: "p" } }, "u"],
  ])("%j: the model is %p", (files, model) => {
    expect(merge(files).settings.model).toBe(model);
  });
});

describe("a limit", () => {
  test.each<[string, Files, number | undefined]>([
    ["nobody sets it", {}, undefined],
    ["the user may raise it over the built-in one", { user: { maxTurns: 900 } }, 900],
    ["the administrator's is the most", { user: { maxTurns: 900 }, managed: { maxTurns: 100 } }, 100],
    ["the user may stay below the administrator's", { user: { maxTurns: 50 }, managed: { maxTurns: 100 } }, 50],
    ["the administrator may raise it over the built-in one", { managed: { maxTurns: 900 } }, 900],
    ["a project may lower the built-in one", { project: { maxTurns: 3 } }, 3],
    ["a project cannot raise the built-in one", { project: { maxTurns: 501 } }, undefined],
    ["a project may lower the user's", { user: { maxTurns: 900 }, project: { maxTurns: 600 } }, 600],
    ["a project cannot raise the user's", { user: { maxTurns: 20 }, project: { maxTurns: 30 } }, 20],
    ["a local file cannot raise what the project lowered", { project: { maxTurns: 3 }, local: { maxTurns: 30 } }, 3],
    ["a local file may lower it further", { project: { maxTurns: 30 }, local: { maxTurns: 3 } }, 3],
  ])("%s", (_title, files, turnsMax) => {
    expect(merge(files).settings.turnsMax).toBe(turnsMax);
  });

  test("times and sizes are compared by what they mean", () => {
    const { settings } = merge({ user: { timeout: "2h", outputQuota: "1MiB" }, project: { timeout: "90m", outputQuota: "2000kB" } });
    expect(settings).toMatchObject({ timeoutMs: 5_400_000, outputBytesMax: 1_048_576 });
  });

  test("a project may set a time limit where there is none, and no larger output than the built-in one", () => {
    expect(merge({ project: { timeout: "24d", outputQuota: "65MiB" } }).settings).toMatchObject({ timeoutMs: 2_073_600_000 });
    expect(merge({ project: { outputQuota: "65MiB" } }).settings.outputBytesMax).toBeUndefined();
  });

  test("a project may lower what may be spent, and not the prices by which it is counted", () => {
    const price = { input: 1, output: 2 };
    const user = { maxBudgetUsd: 1, maxTokens: 100, maxToolCalls: 5, idleTimeout: "5m", waitForLimit: "1h", prices: { m: price } };
    const project = { maxBudgetUsd: 2, maxTokens: 50, maxToolCalls: 6, idleTimeout: "1m", waitForLimit: "2h", prices: { m: { input: 0, output: 0 }, n: price }, fallbackModels: ["x"] };
    expect(merge({ user, project }).settings).toEqual({
      budgetUsdMax: 1,
      budgetTokensMax: 50,
      toolCallsMax: 5,
      idleTimeoutMs: 60_000,
      waitForLimitMs: 3_600_000,
      prices: { m: { input: 1, output: 2, cacheRead: 1, cacheWrite: 1 } },
      modelAliases: {},
      rules: [],
      ceilings: {},
    });
    expect(merge({ managed: user }).settings.ceilings).toEqual({ budgetUsdMax: 1, budgetTokensMax: 100, toolCallsMax: 5, idleTimeoutMs: 300_000, waitForLimitMs: 3_600_000 });
  });

  test("a project does not touch what has no bearing on safety", () => {
    const { settings, decisions } = merge({ project: { maxOutputTokens: 1, apiAttempts: 1 } });
    expect(settings).toEqual({ modelAliases: {}, rules: [], ceilings: {} });
    expect(decisions.apiAttempts.sources).toMatchObject([{ layer: "project", effect: "ignored" }]);
  });

  test("the administrator's limits hold for flags as well", () => {
    const managed = { maxTurns: 9, timeout: "1m", outputQuota: "1kB", maxOutputTokens: 5, apiAttempts: 2, permissionMode: "plan" } as const;
    const ceilings = { turnsMax: 9, timeoutMs: 60_000, outputBytesMax: 1_000, outputTokensMax: 5, apiAttemptsMax: 2, permissionMode: "plan" };
    expect(merge({ managed, user: { maxTurns: 3 } }).settings).toMatchObject({ turnsMax: 3, ceilings });
  });
});

describe("the permission mode", () => {
  test.each<[Files, string | undefined]>([
    [{ user: { permissionMode: "bypassPermissions" } }, "bypassPermissions"],
    [{ user: { permissionMode: "bypassPermissions" }, managed: { permissionMode: "acceptEdits" } }, "acceptEdits"],
    [{ user: { permissionMode: "dontAsk" }, managed: { permissionMode: "default" } }, "dontAsk"],
    [{ project: { permissionMode: "acceptEdits" } }, undefined],
    [{ project: { permissionMode: "plan" } }, "plan"],
    [{ user: { permissionMode: "acceptEdits" }, local: { permissionMode: "default" } }, "default"],
    [{ user: { permissionMode: "plan" }, project: { permissionMode: "default" } }, "plan"],
  ])("%j: it is %p", (files, mode) => {
    expect(merge(files).settings.permissionMode).toBe(mode as never);
  });
});

describe("rules and aliases", () => {
  const files: Files = {
    managed: { permissions: { deny: ["Bash(sudo:*)"] }, modelAliases: { fast: "m" } },
    user: { permissions: { allow: ["Read"], deny: ["Bash(rm:*)"] }, modelAliases: { fast: "u", slow: "u" } },
    project: { permissions: { allow: ["Bash"], ask: ["Write"], deny: ["Edit"] }, modelAliases: { fast: "p", sonnet: "evil" } },
    local: { permissions: { allow: ["not even a rule ("], deny: ["Grep"] } },
  };

  test("deny and ask rules of every layer count, allow rules of trusted ones alone", () => {
    const texts = merge(files).settings.rules.map(({ layer, behavior, tool, spec }) => `${layer} ${behavior} ${tool}${spec === undefined ? "" : `(${spec})`}`);
    expect(texts.toSorted()).toEqual([
      "local deny Grep",
      "managed deny Bash(sudo:*)",
      "project ask Write",
      "project deny Edit",
      "user allow Read",
      "user deny Bash(rm:*)",
    ]);
  });

  test("a project cannot give a model another name; the administrator's aliases go before the user's", () => {
    expect(merge(files).settings.modelAliases).toEqual({ fast: "m", slow: "u" });
  });

  test("each source says what became of it", () => {
    const { decisions } = merge(files);
    const effects = (name: keyof typeof decisions) => decisions[name].sources.map(({ layer, effect }) => `${layer} ${effect}`);
    expect(effects("permissions.allow")).toEqual(["local ignored", "project ignored", "user used"]);
    expect(effects("permissions.deny")).toEqual(["managed used", "local used", "project used", "user used"]);
    expect(effects("modelAliases")).toEqual(["managed used", "project ignored", "user used"]);
    expect(decisions["permissions.deny"].value).toEqual(["Bash(sudo:*)", "Grep", "Edit", "Bash(rm:*)"]);
  });
});

function merge(files: Files) {
  return mergeSettings(Object.entries(files).map(([name, values]) => layerOf(name as SettingsLayerName, values)));
}

function layerOf(name: SettingsLayerName, values: SettingsFile): SettingsLayer {
  return parseSettings(JSON.stringify(values), { name, file: `${name}.jsonc` });
}
