import { expect, test } from "bun:test";
import { DEFAULT_MODEL, MODEL_ALIASES, resolveModelAlias } from "../../src/model/aliases.ts";
import { priceOf } from "../../src/model/pricing.ts";

test("each alias is the newest model of its family that the SDK's types name", async () => {
  const named = await modelsOfSdk();
  const newest = Object.keys(MODEL_ALIASES).map((family): [string, string] => [family, newestOf(family, named) ?? "none"]);
  expect(Object.entries(MODEL_ALIASES)).toEqual(newest);
});

test("every alias has a price", () => {
  const usage = { input: 1_000_000, output: 0, cacheRead: 0, cacheWrite: 0 };
  expect(Object.values(MODEL_ALIASES).map((id) => priceOf(id, usage).usd)).not.toContain(null);
});

test("the default model is an alias", () => {
  expect(resolveModelAlias(DEFAULT_MODEL)).toBe("claude-sonnet-5-5");
});

test("a name that is no alias is an id, members of every object too", () => {
  expect(["claude-x", "constructor", "toString", "Opus"].map((name) => resolveModelAlias(name))).toEqual(["claude-x", "constructor", "toString", "Opus"]);
});

test("the user's aliases go first and may add names", () => {
  const overrides = { sonnet: "my-sonnet", local: "qwen" };
  expect(["sonnet", "local", "haiku"].map((name) => resolveModelAlias(name, overrides))).toEqual(["my-sonnet", "qwen", "claude-haiku-5-5"]);
});

async function modelsOfSdk(): Promise<string[]> {
  const path = `${import.meta.dir}/../../node_modules/@anthropic-ai/sdk/resources/messages/messages.d.ts`;
  const union = /export type Model = ([^;]+);/.exec(await Bun.file(path).text())?.[1] ?? "";
  return [...union.matchAll(/'([^']+)'/g)].flatMap(([, id]) => (id === undefined ? [] : [id]));
}

function newestOf(family: string, models: readonly string[]): string | undefined {
  const versionOf = (id: string) => new RegExp(`^claude-${family}-(\\d+)(?:-(\\d{1,2}))?$`).exec(id);
  const rank = (id: string) => {
    const [, major = "0", minor = "0"] = versionOf(id) ?? [];
    return Number(major) * 100 + Number(minor);
  };
  return models.filter((id) => versionOf(id) !== null).toSorted((a, b) => rank(b) - rank(a))[0];
}
