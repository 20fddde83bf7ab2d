import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { agentCall, gate, service, sendMessage, startRoles, taskRows, told, toolNames } from "../support/agent-roles.ts";
import { reply, text, toolUse } from "../support/api-reply.ts";
import { expectGoesOn } from "../support/expect-goes-on.ts";
import { isAlive, killHard } from "../support/processes.ts";
import { lastResults } from "../support/request-messages.ts";
import { runResult } from "../support/run-events.ts";
import { agentUser, type AgentUser } from "../support/spawn-agent.ts";
import { waitFor } from "../support/wait-for.ts";

const SERVER = join(import.meta.dir, "..", "fixtures", "mcp-server.ts");
const BYPASS = ["run", "--permission-mode", "bypassPermissions"];
const JSON_BYPASS = [...BYPASS, "--output-format", "json"];

const call = (tool: string, input: Record<string, unknown> = {}, id = `toolu_${tool}`) => toolUse(`mcp__db__${tool}`, input, id);

/** Definitions of one agent with a server, whose processes are written to a file. */
function withServer(user: AgentUser, { behavior = "well", ...more }: { readonly behavior?: string; readonly [field: string]: unknown } = {}): string {
  const server = { command: process.execPath, args: [SERVER, join(user.home, "servers"), behavior], env: { TOKEN: "${DB_TOKEN:-none}" } };
  return JSON.stringify({ reader: { description: "reads", prompt: "Read the database.", mcpServers: { db: server }, ...more } });
}

/** The processes that the servers of a user were, and started. */
function servers(user: AgentUser): number[] {
  const lines = readFileSync(join(user.home, "servers"), { encoding: "utf8", flag: "a+" });
  return lines.split("\n").filter(Boolean).map(Number);
}

function living(user: AgentUser): number[] {
  return servers(user).filter(isAlive);
}

describe("the MCP servers of a definition", () => {
  test("bring their tools to its agents, and what they say comes back; they end with the agent", async () => {
    using user = agentUser();
    await using api = startRoles({
      ROOT: [reply(agentCall("CHILD work", { subagent_type: "reader" })), reply(text("done"))],
      CHILD: [
        reply(call("echo", { text: "hi" }), call("mixed"), call("fails"), call("throws"), call("environment"), call("odd_name_1")),
        () => (expect(living(user).length).toBe(1), reply(text("read"))),
      ],
    });
    const run = await user.run([...BYPASS, "--agents", withServer(user), "ROOT go"], { env: { ...service(api), DB_TOKEN: "secret" } });
    expect(run).toMatchObject({ exitCode: 0, stdout: "done\n" });
    expect(toolNames(api.of("ROOT")[0]).filter((name) => name.startsWith("mcp__"))).toEqual([]);
    expect(toolNames(api.of("CHILD")[0]).slice(-2)).toEqual(["mcp__db__hangs", "mcp__db__starts_a_process"]);
    const results = lastResults(api.of("CHILD")[1]);
    expect(results.map(({ isError }) => isError)).toEqual([false, false, true, true, false, false]);
    const [echo, mixed, fails, throws, environment, odd] = results.map(({ content }) => content);
    expect([echo, fails, odd]).toEqual(["echo hi", "it is broken", "odd"]);
    expect(mixed).toBe("seen\n[image of type image/png, 3 bytes: not shown]\ninside\n[more: x:2]");
    expect(throws).toContain("thrown");
    expect(JSON.parse(environment ?? "")).toEqual({ TOKEN: "secret", ANTHROPIC_API_KEY: null, cwd: user.project });
    expect([servers(user).length, living(user)]).toEqual([1, []]);
  });

  test("serve the root of a run that is such an agent, and those that it starts; who names none gets none", async () => {
    using user = agentUser();
    await using api = startRoles({
      ROOT: [reply(agentCall("CHILD work")), reply(agentCall("OWN work", { subagent_type: "reader" })), reply(call("echo", { text: "root" })), reply(text("done"))],
      CHILD: [reply(call("echo", { text: "child" })), reply(agentCall("GRAND work", { subagent_type: "Explore" })), reply(text("child"))],
      OWN: [() => (expect(living(user).length).toBe(2), reply(call("echo", { text: "own" }))), reply(text("own"))],
      GRAND: [reply(call("echo", { text: "grandchild" })), reply(text("grandchild"))],
    });
    const run = await user.run([...BYPASS, "--agents", withServer(user, { permissionMode: "bypassPermissions" }), "--agent", "reader", "ROOT go"], { env: service(api) });
    expect(run).toMatchObject({ exitCode: 0, stdout: "done\n" });
    // The one of the child has ended, the one of the root has not.
    expect(lastResults(api.of("ROOT")[3])[0]?.content).toBe("echo root");
    expect(lastResults(api.of("OWN")[1])[0]?.content).toBe("echo own");
    expect(lastResults(api.of("CHILD")[1])[0]?.content).toBe("echo child");
    // Explore looks only, and nobody has said that this tool does.
    expect(lastResults(api.of("GRAND")[1])[0]).toMatchObject({ isError: true, content: expect.stringContaining("reading only") });
    expect([servers(user).length, living(user)]).toEqual([2, []]);
  });

  test("are started again where the agent goes on, with the bytes of before", async () => {
    using user = agentUser();
    await using api = startRoles({
      ROOT: [reply(agentCall("CHILD work", { subagent_type: "reader", name: "r" })), reply(sendMessage("r", "more")), reply(text("waiting")), reply(text("done"))],
      CHILD: [reply(call("echo", { text: "1" })), reply(text("one")), reply(call("echo", { text: "2" }, "toolu_2")), reply(text("two")), reply(call("echo", { text: "3" }, "toolu_3")), reply(text("three"))],
    });
    const agents = withServer(user);
    await user.run([...BYPASS, "--agents", agents, "ROOT go"], { env: service(api) });
    const child = (await taskRows(user)).find(({ name }) => name === "r")?.id ?? "";
    expect((await user.run(["resume", child, "once more"], { env: service(api) })).stdout).toBe("three\n");
    const requests = api.of("CHILD");
    expect([3, 5].map((index) => lastResults(requests[index])[0]?.content)).toEqual(["echo 2", "echo 3"]);
    for (const index of [2, 4]) expectGoesOn(requests[index], requests[index - 1]);
    expect([servers(user).length, living(user)]).toEqual([3, []]);
  });

  test("are cut down to what the definition does not forbid", async () => {
    using user = agentUser();
    await using api = startRoles({ ROOT: [reply(agentCall("CHILD work", { subagent_type: "reader" })), reply(text("done"))], CHILD: [reply(text("ok"))] });
    await user.run([...BYPASS, "--agents", withServer(user, { tools: ["Read"], disallowedTools: ["mcp__db__dies", "mcp__db__hangs"] }), "ROOT go"], { env: service(api) });
    expect(toolNames(api.of("CHILD")[0]).slice(0, 2)).toEqual(["Read", "mcp__db__echo"]);
    expect(toolNames(api.of("CHILD")[0])).not.toContain("mcp__db__dies");
    expect(toolNames(api.of("CHILD")[0])).not.toContain("mcp__db__hangs");
  });

  test("that print what is no message are understood all the same", async () => {
    using user = agentUser();
    await using api = startRoles({ ROOT: [reply(agentCall("CHILD work", { subagent_type: "reader" })), reply(text("done"))], CHILD: [reply(call("echo", { text: "hi" })), reply(text("ok"))] });
    expect((await user.run([...BYPASS, "--agents", withServer(user, { behavior: "is noisy" }), "ROOT go"], { env: service(api) })).exitCode).toBe(0);
    expect(lastResults(api.of("CHILD")[1])[0]?.content).toBe("echo hi");
  });

  test("that have more than 200 tools bring the first 200, and a warning says so", async () => {
    using user = agentUser();
    await using api = startRoles({ ROOT: [reply(agentCall("CHILD work", { subagent_type: "reader" })), reply(text("done"))], CHILD: [reply(text("ok"))] });
    const run = await user.run([...BYPASS, "--agents", withServer(user, { behavior: "has many tools" }), "ROOT go"], { env: service(api) });
    expect(run).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/MCP server "db" has 2\d\d tools: the first 200 are used/) });
    expect(toolNames(api.of("CHILD")[0]).filter((name) => name.startsWith("mcp__db__")).length).toBe(200);
  });

  test("that say too much are cut, and the rest of it can be read", async () => {
    using user = agentUser();
    await using api = startRoles({ ROOT: [reply(agentCall("CHILD work", { subagent_type: "reader" })), reply(text("done"))], CHILD: [reply(call("huge")), reply(text("ok"))] });
    await user.run([...BYPASS, "--agents", withServer(user), "ROOT go"], { env: service(api) });
    expect(lastResults(api.of("CHILD")[1])[0]?.content.length).toBeLessThan(60_000);
  });
});

describe("a call of a tool of an MCP server", () => {
  test.each([
    [[], true],
    [["--allow", "mcp__db__echo"], false],
    [["--allow", "mcp__db"], false],
    [["--allow", "mcp__db__*"], false],
    [["--allow", "mcp__other"], true],
    [["--allow", "mcp__db", "--deny", "mcp__db__echo"], true],
    [["--permission-mode", "bypassPermissions", "--deny", "mcp__db"], true],
    [["--permission-mode", "acceptEdits"], true],
    [["--permission-mode", "plan", "--allow", "mcp__db"], false],
    [["--permission-mode", "plan"], true],
  ])("with %j is refused: %j", async (flags, isRefused) => {
    using user = agentUser();
    await using api = startRoles({ ROOT: [reply(agentCall("CHILD work", { subagent_type: "reader" })), reply(text("done"))], CHILD: [reply(call("echo", { text: "hi" })), reply(text("ok"))] });
    await user.run(["run", ...flags, "--agents", withServer(user), "ROOT go"], { env: service(api) });
    const [result] = lastResults(api.of("CHILD")[1]);
    expect([result?.isError, result?.content === "echo hi"]).toEqual([isRefused, !isRefused]);
  });

  test("that is refused names the flag that would allow it; planning refuses what does not say that it only reads", async () => {
    using user = agentUser();
    const roles = () => ({ ROOT: [reply(agentCall("CHILD work", { subagent_type: "reader" })), reply(text("done"))], CHILD: [reply(call("write")), reply(text("ok"))] });
    await using api = startRoles(roles());
    await using planning = startRoles(roles());
    const run = await user.run(["run", "--output-format", "json", "--agents", withServer(user), "ROOT go"], { env: service(api) });
    expect(`${run.stderr}${told(api.of("CHILD")[1])}`).toContain("--allow mcp__db__write");
    await user.run(["run", "--permission-mode", "plan", "--allow", "mcp__db", "--agents", withServer(user), "ROOT go"], { env: service(planning) });
    expect(lastResults(planning.of("CHILD").at(-1))[0]?.content).toContain("reading only");
  });
});

describe("an MCP server that fails", () => {
  test.each([
    ["crashes", "it ended with exit code 3: no database here"],
    ["is missing", "there is no such program"],
  ])("because it %s ends its agent with what it said, and the parent goes on", async (behavior, why) => {
    using user = agentUser();
    const missing = JSON.stringify({ reader: { description: "d", prompt: "p", mcpServers: { db: { command: "no-such-program-here" } } } });
    await using api = startRoles({ ROOT: [reply(agentCall("CHILD work", { subagent_type: "reader" })), reply(text("another way"))], CHILD: [reply(text("never"))] });
    const run = await user.run([...JSON_BYPASS, "--agents", behavior === "is missing" ? missing : withServer(user, { behavior }), "ROOT go"], { env: service(api) });
    expect([run.exitCode, runResult(run.stdout).result]).toEqual([0, "another way"]);
    expect(lastResults(api.of("ROOT")[1])[0]).toMatchObject({ isError: true, content: expect.stringContaining(why) });
    expect(lastResults(api.of("ROOT")[1])[0]?.content).toContain('MCP server "db"');
    expect([api.of("CHILD").length, living(user)]).toEqual([0, []]);
  });

  test("ends a run that is its agent, with exit status 1", async () => {
    using user = agentUser();
    await using api = startRoles({ ROOT: [reply(text("never"))] });
    const run = await user.run([...JSON_BYPASS, "--agents", withServer(user, { behavior: "crashes" }), "--agent", "reader", "ROOT go"], { env: service(api) });
    expect([run.exitCode, runResult(run.stdout).error?.code, api.requests.length]).toEqual([1, "mcp_server", 0]);
  });

  test("in the middle of a call is an error of the call that says so", async () => {
    using user = agentUser();
    await using api = startRoles({ ROOT: [reply(agentCall("CHILD work", { subagent_type: "reader" })), reply(text("done"))], CHILD: [reply(call("dies")), reply(call("echo", { text: "x" })), reply(text("ok"))] });
    expect((await user.run([...BYPASS, "--agents", withServer(user), "ROOT go"], { env: service(api) })).exitCode).toBe(0);
    for (const index of [1, 2]) expect(lastResults(api.of("CHILD")[index])[0]).toMatchObject({ isError: true, content: expect.stringMatching(/it ended with exit code 9: .*out of memory$/) });
  });

  test("because it answers with more than 16 MiB is an error of the call that says so, and the agent goes on", async () => {
    using user = agentUser();
    await using api = startRoles({ ROOT: [reply(agentCall("CHILD work", { subagent_type: "reader" })), reply(text("done"))], CHILD: [reply(call("floods")), reply(call("echo", { text: "x" })), reply(text("ok"))] });
    expect((await user.run([...BYPASS, "--agents", withServer(user), "ROOT go"], { env: service(api) })).exitCode).toBe(0);
    for (const index of [1, 2]) expect(lastResults(api.of("CHILD")[index])[0]).toMatchObject({ isError: true, content: expect.stringMatching(/MCP server "db" .*it wrote a line of more than 16 MiB$/) });
    expect([servers(user).length, living(user)]).toEqual([1, []]);
  });

  test("because it never answers does not keep anybody from stopping the run", async () => {
    using user = agentUser();
    await using api = startRoles({ ROOT: [reply(text("never"))] });
    const running = user.start([...JSON_BYPASS, "--agents", withServer(user, { behavior: "is silent" }), "--agent", "reader", "ROOT go"], { env: service(api) });
    await waitFor(() => servers(user).length === 1);
    const [root] = await taskRows(user);
    expect((await user.run(["stop", root?.id ?? ""])).exitCode).toBe(0);
    expect([(await running.ended).exitCode, living(user)]).toEqual([137, []]);
  });

  test("needs a variable that is not set", async () => {
    using user = agentUser();
    const agents = JSON.stringify({ reader: { description: "d", prompt: "p", mcpServers: { db: { command: "x", args: ["${NO_SUCH_VARIABLE}"] } } } });
    await using api = startRoles({ ROOT: [reply(agentCall("CHILD work", { subagent_type: "reader" })), reply(text("done"))] });
    await user.run([...BYPASS, "--agents", agents, "ROOT go"], { env: service(api) });
    expect(lastResults(api.of("ROOT")[1])[0]?.content).toContain("the variable NO_SUCH_VARIABLE is not set");
  });

  test("is no reason to record what cannot be replayed", async () => {
    using user = agentUser();
    await using api = startRoles({ ROOT: [reply(text("never"))] });
    const run = await user.run([...BYPASS, "--record", "tape", "--agents", withServer(user), "--agent", "reader", "ROOT go"], { env: service(api) });
    expect([run.exitCode, run.stderr.includes("MCP servers"), servers(user)]).toEqual([2, true, []]);
  });
});

describe("whatever way an agent ends, its servers and what they started end with it", () => {
  test.each(["a refused request", "a stop", "an interruption", "a kill of the process"])("by %s", async (way) => {
    using user = agentUser();
    const started = gate();
    await using api = startRoles({
      ROOT: [reply(agentCall("CHILD work", { subagent_type: "reader", run_in_background: way !== "an interruption" })), reply(text("waiting")), reply(text("done"))],
      CHILD: [
        reply(call("starts_a_process")),
        () => {
          started.open();
          return way === "a refused request" ? { status: 400, type: "invalid_request_error", message: "no" } : reply(call("hangs"));
        },
      ],
    });
    const running = user.start([...JSON_BYPASS, "--agents", withServer(user), "ROOT go"], { env: service(api) });
    await started.opened;
    const [root, child] = await waitFor(async () => {
      const rows = await taskRows(user);
      const found = [rows.find(({ parentTaskId }) => parentTaskId === null), rows.find(({ parentTaskId }) => parentTaskId !== null)];
      return found.every((row) => row !== undefined) && found;
    });
    expect(servers(user).length).toBe(2);
    if (way === "a stop") await user.run(["stop", child?.id ?? ""]);
    if (way === "an interruption") await user.run(["interrupt", root?.id ?? ""]);
    if (way === "a kill of the process") await killHard(running.pid);
    if (way === "a refused request" || way === "a stop") expect((await running.ended).exitCode).toBe(0);
    if (way === "an interruption") {
      await waitFor(async () => (await taskRows(user)).find(({ id }) => id === child?.id)?.status === "killed");
      await user.run(["stop", root?.id ?? ""]);
    }
    await waitFor(() => living(user).length === 0);
    await running.ended;
  });
});

test("of many agents side by side each has its own, and none is left when they have ended, however they did", async () => {
  using user = agentUser();
  const words = Array.from({ length: 12 }, (_, index) => `A${index}`);
  const ends = [() => reply(text("ok")), () => reply(call("echo", { text: "hi" })), () => ({ status: 400, type: "invalid_request_error", message: "no" }), () => reply(call("dies"))] as const;
  await using api = startRoles({
    ROOT: [reply(...words.map((word) => agentCall(`${word} work`, { subagent_type: "reader" }))), () => (expect(living(user)).toEqual([]), reply(text("done")))],
    ...Object.fromEntries(words.map((word, index) => [word, [ends[index % ends.length] ?? ends[0], reply(text("ok"))]])),
  });
  expect((await user.run([...BYPASS, "--agents", withServer(user), "ROOT go"], { env: service(api) })).exitCode).toBe(0);
  expect(lastResults(api.of("ROOT")[1]).map(({ isError }) => isError)).toEqual(words.map((_word, index) => index % ends.length === 2));
  expect([servers(user).length, living(user)]).toEqual([words.length, []]);
});
