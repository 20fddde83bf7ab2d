import { expect, test } from "bun:test";
import { resolveSubagents } from "../../../src/cli/run/resolve-subagents.ts";

const NONE = { "max-depth": undefined, "max-agents": undefined, "max-concurrency": undefined };

test("without a word agents are nested three deep, 1,000 are started and 32 replies arrive at once, without forks", () => {
  expect(resolveSubagents(NONE, {})).toEqual({ depthMax: 3, countMax: 1_000, concurrencyMax: 32, isForkEnabled: false, isBackgroundEnabled: true });
});

test("0 is none at all where that can be, and the most replies at once are 200", () => {
  expect(resolveSubagents({ "max-depth": "0", "max-agents": "0", "max-concurrency": "200" }, {})).toMatchObject({ depthMax: 0, countMax: 0, concurrencyMax: 200 });
});

test.each([
  ["max-concurrency", "201"],
  ["max-concurrency", "0"],
  ["max-depth", "deep"],
  ["max-agents", "1.5"],
])("--%s %s is refused with the flag and the value", (flag, value) => {
  expect(() => resolveSubagents({ ...NONE, [flag]: value }, {})).toThrow(`Cannot use "${value}" for --${flag}`);
});

test.each([
  ["1", true],
  ["true", true],
  ["0", false],
  ["off", false],
  ["", false],
])("a switch that says %j is on: %p", (value, isOn) => {
  const { isForkEnabled, isBackgroundEnabled } = resolveSubagents(NONE, { AGENT_FORK_SUBAGENTS: value, AGENT_DISABLE_BACKGROUND_TASKS: value });
  expect([isForkEnabled, isBackgroundEnabled]).toEqual([isOn, !isOn]);
});
