import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { agentCall, bash, gate, inspected, service, startRoles, taskRows } from "../support/agent-roles.ts";
import { reply, text } from "../support/api-reply.ts";
import { isAlive } from "../support/processes.ts";
import { lastResults } from "../support/request-messages.ts";
import { runResult } from "../support/run-events.ts";
import { agentUser } from "../support/spawn-agent.ts";
import { taskNamed } from "../support/task-named.ts";
import { waitFor } from "../support/wait-for.ts";

const RUN = ["run", "--output-format", "json"];
const BYPASS = [...RUN, "--permission-mode", "bypassPermissions"];

describe("an agent in the background", () => {
  test("that never ends is stopped when the run has waited long enough: exit 13, with the agent among the children", async () => {
    using user = agentUser();
    const never = gate();
    await using api = startRoles({
      ROOT: [reply(agentCall("CHILD work", { run_in_background: true, name: "slow" })), reply(text("I wait for it"))],
      CHILD: [async () => (await never.opened, reply(text("too late")))],
    });
    const run = await user.run([...BYPASS, "--drain-timeout", "300ms", "ROOT go"], { env: service(api) });
    const result = runResult(run.stdout);
    expect([run.exitCode, result.exit, result.result]).toEqual([13, { code: 13, reason: "child_failed" }, "I wait for it"]);
    const child = await taskNamed(user, "slow");
    expect(result.children).toMatchObject([{ task_id: child.id, status: child.status }]);
    expect(child.status).toBe("killed");
    await waitFor(() => api.of("CHILD")[0]?.isAborted);
    never.open();
    expect([api.of("ROOT").length, api.of("CHILD").length]).toEqual([2, 1]);
  });

  test("cannot be a whole run where the switch forbids the background: exit 2, and nothing has begun", async () => {
    using user = agentUser();
    await using api = startRoles({ ROOT: [reply(text("never"))] });
    const run = await user.run(["run", "--background", "ROOT go"], { env: { ...service(api), AGENT_DISABLE_BACKGROUND_TASKS: "1" } });
    expect(run).toMatchObject({ exitCode: 2, stdout: "" });
    expect(run.stderr).toContain("AGENT_DISABLE_BACKGROUND_TASKS");
    expect(run.stderr).toContain("--background");
    expect([api.requests.length, await taskRows(user)]).toEqual([0, []]);
  });
});

describe("agents side by side of which some do not come to an end by themselves", () => {
  test("are all answered in the order of the calls: with what they say, or with the limit that ended them", async () => {
    using user = agentUser();
    const agents = JSON.stringify({
      quick: { description: "Quick", prompt: "Be quick.", timeout: "400ms" },
      brief: { description: "Brief", prompt: "Be brief.", maxTurns: 3 },
    });
    let turn = 0;
    await using api = startRoles({
      ROOT: [
        reply(agentCall("PINGED work", { subagent_type: "quick", name: "pinged" }), agentCall("ONE work"), agentCall("LOOPING work", { subagent_type: "brief", name: "looping" }), agentCall("TWO work")),
        reply(text("all four")),
      ],
      ONE: [bash("echo 1"), reply(text("first success"))],
      TWO: [reply(text("second success"))],
      PINGED: [{ ...reply(text("never whole")), fault: { afterEvents: 2, kind: "pings" } }],
      LOOPING: [() => bash(`echo round ${++turn}`, `toolu_${turn}`)],
    });
    const run = await user.run([...BYPASS, "--agents", agents, "ROOT go"], { env: service(api) });
    expect([run.exitCode, runResult(run.stdout).result]).toEqual([0, "all four"]);
    const results = lastResults(api.of("ROOT")[1]);
    expect(results.map(({ id, isError }) => [id, isError])).toEqual([
      ["toolu_PINGED", true],
      ["toolu_ONE", false],
      ["toolu_LOOPING", true],
      ["toolu_TWO", false],
    ]);
    expect([results[1]?.content, results[3]?.content]).toEqual(["first success", "second success"]);
    expect(results[0]?.content).toContain("longer than the 0.4 s");
    expect(results[2]?.content).toContain("3 turns");
    expect([(await taskNamed(user, "pinged")).exit?.reason, (await taskNamed(user, "looping")).exit?.reason, api.of("LOOPING").length]).toEqual(["timeout", "max_turns", 3]);
  });
});

describe("an agent that does not take no for an answer", () => {
  test("is ended when the same call was refused three times, and its parent goes on", async () => {
    using user = agentUser();
    let turn = 0;
    await using api = startRoles({
      ROOT: [reply(agentCall("CHILD write", { name: "stubborn" })), bash("pwd"), reply(text("without it then"))],
      CHILD: [() => bash("touch made", `toolu_${++turn}`)],
    });
    const run = await user.run([...RUN, "ROOT go"], { env: service(api) });
    expect([run.exitCode, runResult(run.stdout).result, api.of("CHILD").length]).toEqual([0, "without it then", 3]);
    const [result] = lastResults(api.of("ROOT")[1]);
    expect(result?.isError).toBe(true);
    expect(result?.content).toContain("the same call of Bash was refused 3 times");
    expect(result?.content).toContain("3 of its calls were refused");
    expect(lastResults(api.of("ROOT")[2])[0]?.isError).toBe(false);
    const child = await taskNamed(user, "stubborn");
    expect(await inspected(user, child.id)).toMatchObject({ status: "failed", exit: { code: 3 }, detail: { denialCount: 3 } });
    expect(existsSync(join(user.project, "made"))).toBe(false);
  });
});

describe("the tokens of a whole run", () => {
  test("that a child uses up end all of it with exit 4, whoever works at that time", async () => {
    using user = agentUser();
    const shell = join(user.project, "shell");
    await using api = startRoles({
      ROOT: [reply(agentCall("BEHIND work", { run_in_background: true, name: "behind" }), agentCall("CHILD work", { name: "child" })), reply(text("never said"))],
      BEHIND: [bash(`echo $$ >> ${shell}; exec sleep 61`)],
      CHILD: [async () => (await waitFor(() => existsSync(shell)), reply(agentCall("SPENDER spend", { name: "spender" }))), reply(text("never said"))],
      SPENDER: [{ ...bash("touch spent"), usage: { input_tokens: 199_000, output_tokens: 900 } }],
    });
    const run = await user.run([...BYPASS, "--max-tokens", "200000", "ROOT go"], { env: service(api) });
    const result = runResult(run.stdout);
    expect([run.exitCode, result.exit.reason, result.error?.code]).toEqual([4, "budget", "budget_tokens"]);
    expect(result.error?.message).toContain("--max-tokens");
    expect(["ROOT", "BEHIND", "CHILD", "SPENDER"].map((role) => api.of(role).length)).toEqual([1, 1, 1, 1]);
    const ended = await Promise.all(["behind", "child", "spender"].map(async (name) => (await taskNamed(user, name)).status));
    expect(ended).not.toContain("running");
    expect(ended[0]).toBe("killed");
    expect(isAlive(Number(readFileSync(shell, "utf8")))).toBe(false);
  });

  test("end all of it also while a reply of another agent never comes", async () => {
    using user = agentUser();
    const asked = gate();
    await using api = startRoles({
      ROOT: [reply(agentCall("BEHIND work", { run_in_background: true }), agentCall("SPENDER spend")), reply(text("never said"))],
      BEHIND: [async () => (asked.open(), await new Promise<never>(() => undefined))],
      SPENDER: [async () => (await asked.opened, { ...bash("true"), usage: { input_tokens: 199_000, output_tokens: 900 } }), reply(text("never said"))],
    });
    const run = await user.run([...BYPASS, "--max-tokens", "200000", "ROOT go"], { env: service(api) });
    expect([run.exitCode, runResult(run.stdout).exit.reason, api.of("SPENDER").length]).toEqual([4, "budget", 1]);
  });
});
