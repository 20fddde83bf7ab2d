import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { conversationFaults } from "../support/conversation-faults.ts";
import { events, eventsOfType } from "../support/run-events.ts";
import { startScriptedApi } from "../support/scripted-api-server.ts";
import { agentUser } from "../support/spawn-agent.ts";
import { recordedState } from "../support/state-faults.ts";
import { stepwiseModel } from "../support/stepwise-model.ts";
import { waitFor } from "../support/wait-for.ts";

const DAY_MS = 86_400_000;
const PLAN = [
  [
    { command: "until [ -e go ]; do sleep 0.01; done; echo gone", run_in_background: true },
    { command: "touch started; until [ -e ahead ]; do sleep 0.01; done" },
  ],
  [{ command: "touch behind; until [ -e back ]; do sleep 0.01; done" }],
];

test("a clock that is set a day ahead and two days back ends nothing early, keeps nothing waiting, and takes nobody's time", async () => {
  using user = agentUser("test-hooks");
  await using api = startScriptedApi({ turns: stepwiseModel(PLAN) });
  const [clock, file] = [join(user.home, "clock"), (name: string) => join(user.project, name)];
  const setClock = (offsetMs: number) => writeFileSync(clock, String(offsetMs));
  setClock(0);
  const flags = ["--permission-mode", "bypassPermissions", "--timeout", "50s", "--drain-timeout", "40s", "--output-format", "stream-json"];
  const run = user.start(["run", ...flags, "begin"], { env: { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "test-key", AGENT_TEST_CLOCK: clock } });
  await waitFor(() => existsSync(file("started")));
  setClock(DAY_MS);
  for (const name of ["go", "ahead"]) writeFileSync(file(name), "");
  await waitFor(() => existsSync(file("behind")));
  setClock(-DAY_MS);
  writeFileSync(file("back"), "");

  const ended = await run.ended;
  expect([ended.exitCode, ended.stderr]).toEqual([0, ""]);
  const stream = events(ended.stdout);
  // It has really jumped, both ways.
  const times = stream.map(({ ts }) => ts - Date.now());
  expect([Math.max(...times) > DAY_MS / 2, Math.min(...times) < -DAY_MS / 2]).toEqual([true, true]);
  const [result] = eventsOfType(stream, "run.result");
  expect(result).toMatchObject({ status: "completed", children: [{ status: "completed" }] });
  expect(result?.duration_ms).toBeWithin(0, 50_000);
  for (const { duration_ms: durationMs } of eventsOfType(stream, "tool.completed")) expect(durationMs).toBeWithin(0, 50_000);
  expect(conversationFaults(api.requests, recordedState(user.stateDirectory).tasks)).toEqual([]);
});

test("whoever looks after the clock was set back reads ages that are possible", async () => {
  using user = agentUser("test-hooks");
  const clock = join(user.home, "clock");
  const env = { AGENT_TEST_CLOCK: clock };
  writeFileSync(clock, String(DAY_MS));
  const id = (await user.run(["run", "-d", "--exec", "--", "sleep", "60"], { env })).stdout.trim();
  writeFileSync(clock, "0");
  expect((await user.run(["ps"], { env })).stdout).toMatch(new RegExp(`${id} .*\\b0s\\b`));
  expect((await user.run(["stop", id], { env })).exitCode).toBe(0);
  const [record] = JSON.parse((await user.run(["inspect", id], { env })).stdout) as { status: string }[];
  expect(record?.status).toBe("killed");
  expect(readFileSync(clock, "utf8")).toBe("0");
});
