import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { agentCall, gate, service, startRoles, taskRows, toolNames, type Said } from "../support/agent-roles.ts";
import { reply, text, toolUse } from "../support/api-reply.ts";
import { lastResults } from "../support/request-messages.ts";
import { events, eventsOfType, runResult } from "../support/run-events.ts";
import { agentUser } from "../support/spawn-agent.ts";
import { waitFor } from "../support/wait-for.ts";

const BYPASS = ["run", "--output-format", "json", "--permission-mode", "bypassPermissions"];

describe("how deep agents are nested", () => {
  test("three levels unless told; the one at the limit has no tool to start another, and a call of it is an error", async () => {
    using user = agentUser();
    await using api = startRoles({
      ROOT: [reply(agentCall("ONE down")), reply(text("0"))],
      ONE: [reply(agentCall("TWO down")), reply(text("1"))],
      TWO: [reply(agentCall("THREE down")), reply(text("2"))],
      THREE: [reply(agentCall("FOUR down")), reply(text("3"))],
    });
    const run = await user.run([...BYPASS, "ROOT go"], { env: service(api) });
    expect([run.exitCode, runResult(run.stdout).result]).toEqual([0, "0"]);
    const hasTool = (role: string) => toolNames(api.of(role)[0]).includes("Agent");
    expect(["ROOT", "ONE", "TWO", "THREE"].map(hasTool)).toEqual([true, true, true, false]);
    expect(lastResults(api.of("THREE")[1])[0]).toMatchObject({ isError: true });
    expect([api.of("FOUR").length, (await taskRows(user)).length]).toEqual([0, 4]);
    const tree = (await user.run(["ps", "-a", "--tree"])).stdout;
    const depths = tree.split("\n").filter((line) => /a[0-9a-z]{8}/.test(line)).map((line) => line.search(/a[0-9a-z]{8}/));
    expect(depths).toEqual([...depths].toSorted((one, other) => one - other));
    expect(new Set(depths).size).toBe(4);
  });

  test("none at all where the limit is 0", async () => {
    using user = agentUser();
    await using api = startRoles({ ROOT: [reply(text("alone"))] });
    const run = await user.run([...BYPASS.map((word) => (word === "json" ? "stream-json" : word)), "--max-depth", "0", "ROOT go"], { env: service(api) });
    expect(run.exitCode).toBe(0);
    expect(api.requests[0]?.text).not.toContain('"name":"Agent"');
    const [started] = eventsOfType(events(run.stdout), "run.started");
    expect(started?.tools).toContain("Bash");
    expect(started?.tools).not.toContain("Agent");
  });
});

test("no more agents are started than a run may, at whatever depth; what was refused does not count", async () => {
  using user = agentUser();
  await using api = startRoles({
    ROOT: [reply(agentCall("NOBODY x", { subagent_type: "nobody" })), reply(agentCall("ONE work")), reply(agentCall("THREE work")), reply(text("done"))],
    ONE: [reply(agentCall("TWO work")), reply(text("one"))],
    TWO: [reply(text("two"))],
  });
  expect((await user.run([...BYPASS, "--max-agents", "2", "ROOT go"], { env: service(api) })).exitCode).toBe(0);
  expect(lastResults(api.of("ROOT")[3])[0]).toMatchObject({ isError: true, content: expect.stringContaining("started 2") });
  expect((await taskRows(user)).length).toBe(3);
});

test("no more replies arrive at once than are allowed, and everybody gets theirs", async () => {
  using user = agentUser();
  let now = 0;
  let most = 0;
  const allStarted = gate();
  const work: Said = async () => {
    most = Math.max(most, ++now);
    await allStarted.opened;
    now--;
    return reply(text("mine"));
  };
  const names = Array.from({ length: 8 }, (_, index) => `CHILD${index}`);
  await using api = startRoles({ ROOT: [reply(...names.map((name) => agentCall(`${name} work`))), reply(text("all"))], ...Object.fromEntries(names.map((name) => [name, [work]])) });
  const running = user.start([...BYPASS, "--max-concurrency", "3", "ROOT go"], { env: service(api) });
  await waitFor(async () => now === 3 && (await taskRows(user)).filter(({ status }) => status === "running").length === 9);
  allStarted.open();
  expect((await running.ended).exitCode).toBe(0);
  expect(lastResults(api.of("ROOT")[1]).map(({ content }) => content)).toEqual(names.map(() => "mine"));
  expect(most).toBe(3);
});

test("two of one name do not work at the same time; a name is free again afterwards", async () => {
  using user = agentUser();
  const first = gate();
  await using api = startRoles({
    ROOT: [
      reply(agentCall("ONE work", { run_in_background: true, name: "rev" })),
      reply(agentCall("TWO work", { name: "rev" })),
      () => (first.open(), reply(text("waiting"))),
      reply(agentCall("THREE work", { name: "rev" })),
      reply(text("done")),
    ],
    ONE: [async () => (await first.opened, reply(text("one")))],
    THREE: [reply(text("three"))],
  });
  expect((await user.run([...BYPASS, "ROOT go"], { env: service(api) })).exitCode).toBe(0);
  expect(lastResults(api.of("ROOT")[2])[0]).toMatchObject({ isError: true, content: expect.stringContaining('"rev"') });
  expect(lastResults(api.of("ROOT")[4])[0]).toMatchObject({ isError: false, content: "three" });
});

describe("what an agent may spend by its definition", () => {
  test("ends it and what it starts, and the run goes on", async () => {
    using user = agentUser();
    const definition = JSON.stringify({ poor: { description: "Poor", prompt: "Save.", maxTokens: 30_000 } });
    const dear = { usage: { input_tokens: 29_900, output_tokens: 10 } };
    await using api = startRoles({
      ROOT: [reply(agentCall("CHILD work", { subagent_type: "poor" })), reply(text("done"))],
      CHILD: [reply(agentCall("GRANDCHILD work")), reply(text("never"))],
      GRANDCHILD: [{ ...reply(agentCall("NOBODY x", { subagent_type: "nobody" })), ...dear }],
    });
    const run = await user.run([...BYPASS, "--agents", definition, "ROOT go"], { env: service(api) });
    expect([run.exitCode, runResult(run.stdout).result]).toEqual([0, "done"]);
    expect([api.of("GRANDCHILD").length, api.of("CHILD").length]).toEqual([1, 1]);
    expect(lastResults(api.of("ROOT")[1])[0]?.content).toContain("budget");
  });

  test("turns and time end it alone", async () => {
    using user = agentUser();
    const definition = JSON.stringify({ brief: { description: "Brief", prompt: "Be brief.", maxTurns: 2 }, quick: { description: "Quick", prompt: "Be quick.", timeout: "200ms" } });
    const hangs = gate();
    await using api = startRoles({
      ROOT: [reply(agentCall("TALKER talk", { subagent_type: "brief" }), agentCall("SLEEPER sleep", { subagent_type: "quick" })), reply(text("done"))],
      TALKER: [(request) => reply(agentCall(`NOBODY${api.of("TALKER").length} ${request.path}`, { subagent_type: "nobody" }))],
      SLEEPER: [async () => (await hangs.opened, reply(text("too late")))],
    });
    const run = await user.run([...BYPASS, "--agents", definition, "ROOT go"], { env: service(api) });
    hangs.open();
    expect([run.exitCode, runResult(run.stdout).result]).toEqual([0, "done"]);
    const [talker, sleeper] = lastResults(api.of("ROOT")[1]);
    expect([talker?.content.includes("2 turns"), sleeper?.content.includes("longer than the 0.2 s")]).toEqual([true, true]);
    expect(api.of("TALKER").length).toBe(2);
  });
});

test("usage and cost of a run are those of all its agents", async () => {
  using user = agentUser();
  const usage = { input_tokens: 1_000, output_tokens: 100, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
  await using api = startRoles({
    ROOT: [{ ...reply(agentCall("ONE work"), agentCall("TWO work", { run_in_background: true })), usage }, { ...reply(text("done")), usage }],
    ONE: [{ ...reply(agentCall("THREE work")), usage }, { ...reply(text("one")), usage }],
    TWO: [{ ...reply(text("two")), usage }],
    THREE: [{ ...reply(text("three")), usage }],
  });
  const result = runResult((await user.run([...BYPASS, "ROOT go"], { env: service(api) })).stdout);
  const count = api.requests.length;
  expect(result.usage).toMatchObject({ input: count * 1_000, output: count * 100 });
  await using other = startRoles({ ALONE: [{ ...reply(text("alone")), usage }] });
  const alone = runResult((await user.run([...BYPASS, "ALONE go"], { env: service(other) })).stdout);
  expect(result.cost.usd ?? 0).toBeCloseTo(count * (alone.cost.usd ?? Number.NaN), 6);
});

test("a call bounds the turns of the agent that it starts; what there is by then comes with the reason", async () => {
  using user = agentUser();
  await using api = startRoles({ ROOT: [reply(agentCall("CHILD work", { max_turns: 2 })), reply(text("done"))], CHILD: [1, 2, 3].map((turn) => reply(text(`so far ${turn}`), toolUse("Bash", { command: `true ${turn}` }, `toolu_${turn}`))) });
  await user.run(["run", "--permission-mode", "bypassPermissions", "ROOT go"], { env: service(api) });
  const [result] = lastResults(api.of("ROOT")[1]);
  expect([result?.isError, api.of("CHILD").length]).toEqual([true, 2]);
  expect(result?.content).toMatch(/so far 2[\s\S]*Stopped after 2 turns/);
  expect(result?.content).not.toContain("--max-turns");
});

test("an agent that may start commands may also look at them and end them, and has nothing else for it", async () => {
  using user = agentUser();
  const agents = JSON.stringify({ sh: { description: "d", prompt: "p", tools: ["Bash"] }, look: { description: "d", prompt: "p", tools: ["Read"] }, bare: { description: "d", prompt: "p", tools: ["Bash"], disallowedTools: ["TaskStop"] } });
  await using api = startRoles({
    ROOT: [reply(agentCall("ONE work", { subagent_type: "sh" }), agentCall("TWO work", { subagent_type: "look" }), agentCall("THREE work", { subagent_type: "bare" })), reply(text("done"))],
    ONE: [reply(text("1"))],
    TWO: [reply(text("2"))],
    THREE: [reply(text("3"))],
  });
  await user.run(["run", "--agents", agents, "ROOT go"], { env: service(api) });
  expect(["ONE", "TWO", "THREE"].map((role) => toolNames(api.of(role)[0]))).toEqual([["Bash", "TaskOutput", "TaskStop"], ["Read"], ["Bash", "TaskOutput"]]);
});

test("the result of a run says of each agent what it used, also of those that were waited for", async () => {
  using user = agentUser();
  const used = { usage: { input_tokens: 100, output_tokens: 10 } };
  await using api = startRoles({ ROOT: [reply(agentCall("ONE work")), reply(text("done"))], ONE: [{ ...reply(agentCall("TWO work")), ...used }, { ...reply(text("1")), ...used }], TWO: [{ ...reply(text("2")), ...used }] });
  const run = await user.run(["run", "--output-format", "json", "ROOT go"], { env: service(api) });
  expect(runResult(run.stdout).children.map(({ tokens }) => tokens)).toEqual([220, 110]);
});

test("agents that commands of agents run count as nested, and end where the depth does", async () => {
  using user = agentUser();
  // Each of them runs itself once more by a command.
  const again = "agent run -q -m scripted:again.json --permission-mode bypassPermissions again || echo \"ended with $?\"";
  await Bun.write(join(user.project, "again.json"), JSON.stringify({ v: 1, turns: [{ reply: [{ tool: "Bash", input: { command: again } }] }, { reply: [{ text: "done" }] }] }));
  const run = await user.run(["run", "-m", "scripted:again.json", "--permission-mode", "bypassPermissions", "again"], { env: { AGENT_MAX_DEPTH: "2" } });
  const rows = await taskRows(user);
  expect([run.exitCode, rows.filter(({ type }) => type === "local_agent").length]).toEqual([0, 3]);
  const said = await Promise.all(rows.filter(({ type }) => type === "local_bash").map(async ({ id }) => (await user.run(["logs", id])).stdout));
  expect(said.filter((output) => /nested 2 deep already[\s\S]*ended with 1/.test(output)).length).toBe(1);
});
