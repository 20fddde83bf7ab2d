import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CRASH_POINTS } from "../../src/platform/test-hooks/crash-point.ts";
import { conversationFaults } from "../support/conversation-faults.ts";
import { inParallel } from "../support/in-parallel.ts";
import { isAlive } from "../support/processes.ts";
import { messagesOf } from "../support/request-messages.ts";
import { startScriptedApi, type ScriptedApi } from "../support/scripted-api-server.ts";
import { type AgentUser, agentUser } from "../support/spawn-agent.ts";
import { recordedState, stateFaults } from "../support/state-faults.ts";
import { stepwiseModel } from "../support/stepwise-model.ts";
import { waitFor } from "../support/wait-for.ts";

/** Work in the background that ends and that goes on, with calls beside it which leave a trace each. */
const PLAN = [
  [{ command: "echo quick; touch quick", run_in_background: true }, { command: "until [ -e quick ]; do sleep 0.01; done; echo one >>log" }],
  [{ command: "sleep 60", run_in_background: true }, { command: "echo two >>log" }],
  [{ command: "echo three >>log" }],
];

/** Which passes of a step a run crashes at; the first one unless told. */
const PASSES: Readonly<Partial<Record<(typeof CRASH_POINTS)[number], readonly number[]>>> = {
  "output-created": [1, 2],
  "before-task-commit": [1, 2],
  "after-task-commit": [1, 2],
  "process-started": [1, 2, 3],
  "before-transcript-line": [1, 2, 3, 4, 6, 9, 12],
  "after-transcript-line": [1, 2, 3, 4, 6, 9, 12],
  "after-intent": [1, 2, 3],
  "before-outcome": [1, 2, 3],
  "after-outcome": [1, 2, 3],
  "before-event": [1, 2, 5, 9],
  "after-event": [1, 2, 5, 9],
  "before-end-commit": [1, 2],
  "after-end-commit": [1, 2],
};
const CASES_AT_ONCE = 4;

test("a run that crashes at any step leaves what is true, and goes on as if it had only been interrupted", async () => {
  const points = CRASH_POINTS.filter((point) => !point.startsWith("reaper-") && point !== "after-message-commit");
  const cases = points.flatMap((point) => (PASSES[point] ?? [1]).map((pass) => `${point}:${pass}`));
  expect(await faultsOf(cases, ({ crash }, crashAt) => crash(crashAt))).toEqual([]);
}, 60_000);

test("a message that a run has put on record when it crashes comes into the conversation once, although nobody was told", async () => {
  using user = agentUser("test-hooks");
  await using api = startScriptedApi({ turns: stepwiseModel([[{ command: "until [ -e sent ]; do sleep 0.01; done" }]]) });
  const env = serviceOf(api);
  const flags = ["--permission-mode", "bypassPermissions"];
  const id = (await user.run(["run", "-d", ...flags, "begin"], { env: { ...env, AGENT_TEST_CRASH_AT: "after-message-commit" } })).stdout.trim();
  const sent = await user.run(["send", id, "by the way"], { env });
  writeFileSync(join(user.project, "sent"), "");
  expect([sent.exitCode, runLogs(user)]).toEqual([0, expect.stringContaining("Crash at after-message-commit, pass 1\n")]);
  expect((await user.run(["wait", id])).stdout).toBe("nothing left\n");
  const faults = () => {
    const state = recordedState(user.stateDirectory);
    return [...stateFaults(user.stateDirectory, state), ...conversationFaults(api.requests, state.tasks)];
  };
  // The process closes its record right after the outcome is known.
  await waitFor(() => faults().length === 0).catch(() => undefined);
  expect(faults()).toEqual([]);
  expect(JSON.stringify(messagesOf(api.requests.at(-1))).split("by the way")).toHaveLength(2);
});

test("somebody who crashes while cleaning up behind a run leaves the rest to the next one", async () => {
  const cases = CRASH_POINTS.filter((point) => point.startsWith("reaper-")).flatMap((point) => [`${point}:1`, ...(PASSES_OF_REAPERS[point] ?? [])]);
  const faults = await faultsOf(cases, async ({ user, crash }, crashAt) => {
    await crash("after-outcome:3");
    const reaper = await user.run(["ps"], { env: { AGENT_TEST_CRASH_AT: crashAt } });
    expect([crashAt, reaper.signal, reaper.stderr]).toEqual([crashAt, "SIGKILL", `Crash at ${crashAt.replace(":", ", pass ")}\n`]);
  });
  expect(faults).toEqual([]);
}, 60_000);

const PASSES_OF_REAPERS: Readonly<Record<string, readonly string[]>> = {
  "reaper-after-end-commit": ["reaper-after-end-commit:2"],
  "reaper-before-event": ["reaper-before-event:2", "reaper-before-event:3"],
};

interface World {
  readonly user: AgentUser;
  /** Starts a run in the background that crashes, and waits until it has. */
  readonly crash: (crashAt: string) => Promise<void>;
}

/** Everything that went wrong in any case, with the name of the case. */
async function faultsOf(cases: readonly string[], prepare: (world: World, crashAt: string) => Promise<void>): Promise<string[]> {
  const faults = await inParallel(cases, { atOnce: CASES_AT_ONCE }, async (crashAt) => {
    using user = agentUser("test-hooks");
    await using api = startScriptedApi({ turns: stepwiseModel(PLAN) });
    const env = serviceOf(api);
    await prepare({ user, crash: (at) => crashRun(at, user, env) }, crashAt);
    return (await afterCrash({ user, api, env })).map((fault) => `${crashAt}: ${fault}`);
  });
  return faults.flat();
}

function serviceOf(api: ScriptedApi): Readonly<Record<string, string>> {
  return { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "test-key", AGENT_API_ATTEMPTS: "1" };
}

async function crashRun(crashAt: string, user: AgentUser, env: Readonly<Record<string, string>>): Promise<void> {
  const flags = ["--output-format", "json", "--permission-mode", "bypassPermissions"];
  const launched = await user.run(["run", "-d", ...flags, "begin"], { env: { ...env, AGENT_TEST_CRASH_AT: crashAt } });
  const { pid } = JSON.parse(launched.stdout) as { pid?: number };
  if (pid === undefined) expect(launched.exitCode).not.toBe(0);
  else await waitFor(() => !isAlive(pid));
  expect(`${launched.stderr}${runLogs(user)}`).toContain(`Crash at ${crashAt.replace(":", ", pass ")}\n`);
}

/** What the runs of a user wrote to stderr. */
function runLogs({ stateDirectory }: AgentUser): string {
  const sessions = join(stateDirectory, "sessions");
  const logs = existsSync(sessions) ? [...new Bun.Glob("*/*.log").scanSync(sessions)] : [];
  return logs.map((log) => readFileSync(join(sessions, log), "utf8")).join("");
}

/** Looks, goes on with the conversation until it ends well, and looks again. */
async function afterCrash({ user, api, env }: { readonly user: AgentUser; readonly api: ScriptedApi; readonly env: Readonly<Record<string, string>> }): Promise<string[]> {
  const listed = JSON.parse((await user.run(["ps", "-a", "--json"])).stdout) as { id: string; type: string }[];
  const root = listed.find((task) => task.type === "local_agent");
  const before = listed.length === 0 ? [] : stateFaults(user.stateDirectory, recordedState(user.stateDirectory));
  const goOn = root === undefined ? ["run", "begin"] : ["resume", root.id, "go on"];
  const ended = await user.run([...goOn, "--permission-mode", "bypassPermissions"], { env });
  const refused = ended.exitCode === 0 && ended.stdout === "nothing left\n" ? [] : [`the run that went on ended with ${ended.exitCode}: ${ended.stdout}${ended.stderr}`];
  const recorded = recordedState(user.stateDirectory);
  return [...before, ...refused, ...stateFaults(user.stateDirectory, recorded), ...conversationFaults(api.requests, recorded.tasks), ...traceFaults(user)];
}

/** No call has an effect twice. */
function traceFaults({ project }: AgentUser): string[] {
  const lines = existsSync(join(project, "log")) ? readFileSync(join(project, "log"), "utf8").trimEnd().split("\n") : [];
  return new Set(lines).size === lines.length ? [] : [`calls were made twice: ${lines.join(" ")}`];
}
