import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startMessagesApi, type MessagesApi } from "../support/messages-api/server.ts";
import type { Answer, Reply } from "../support/messages-api/answer.ts";
import { events, eventsOfType, runResult } from "../support/run-events.ts";
import { agentUser, type AgentUser } from "../support/spawn-agent.ts";
import { waitFor } from "../support/wait-for.ts";

const say = (text: string, usage?: Reply["usage"]): Reply => ({ content: [{ type: "text", text }], ...(usage === undefined ? {} : { usage }) });
const bash = (command: string, text = "working"): Reply => ({ content: [{ type: "text", text }, { type: "tool_use", name: "Bash", input: { command } }] });
const OVERLOADED: Answer = { status: 529, type: "overloaded_error", message: "Overloaded", headers: { "x-should-retry": "false" } };
const USED: Reply["usage"] = { input_tokens: 1_000, output_tokens: 200, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };

async function stream(user: AgentUser, api: MessagesApi, args: readonly string[], env: Record<string, string> = {}) {
  const ended = await user.run(["run", "--output-format", "stream-json", ...args], { env: { ...api.env(), ...env } });
  const all = events(ended.stdout);
  const result = runResult(ended.stdout);
  expect(ended.exitCode).toBe(result.exit.code);
  return { ...ended, all, result };
}

function maxTokens(api: MessagesApi): unknown[] {
  return api.requests.map(({ body }) => body["max_tokens"]);
}

describe.concurrent("a budget", () => {
  test("of tokens: the reply is clamped to it, 80 % are told, the end is exit 4 with what was said and what it cost", async () => {
    using user = agentUser();
    await using api = startMessagesApi({ script: (_request, index) => ({ ...bash(`echo ${index}`, `step ${index}`), usage: { ...USED, input_tokens: 6_000 } }) });
    const run = await stream(user, api, ["--max-tokens", "20000", "go"]);
    expect(run.result).toMatchObject({
      status: "failed",
      exit: { code: 4, reason: "budget" },
      error: { code: "budget_tokens", message: expect.stringContaining("--max-tokens") },
      result: "step 2",
      usage: { input: 18_000, output: 600 },
      cost: { usd: expect.any(Number), by_model: { "claude-sonnet-5-5": run.result.cost.usd } },
    });
    expect(eventsOfType(run.all, "budget.warning")).toMatchObject([{ scope: "tokens", used: 18_600, limit: 20_000 }]);
    expect(eventsOfType(run.all, "budget.exceeded")).toMatchObject([{ scope: "tokens", used: 18_600, limit: 20_000 }]);
    expect(run.stderr).toContain("93 % of the budget is used up: 18,600 of 20,000 tokens");
    expect(run.result.warnings).toEqual([expect.stringContaining("93 % of the budget")]);
    expect(maxTokens(api).every((each) => Number(each) < 20_000)).toBe(true);
    expect(run.all[0]).toMatchObject({ limits: { max_tokens: 20_000, max_budget_usd: null, max_tool_calls: null, idle_timeout_ms: null } });
    api.expectNoRefusals();
  });

  test("in dollars that pays for no request is exit 4 before any is made", async () => {
    using user = agentUser();
    await using api = startMessagesApi({ script: [say("never")] });
    const run = await stream(user, api, ["--max-budget-usd", "0.0001", "big job"]);
    expect([run.exitCode, api.requests.length, run.result.error?.code]).toEqual([4, 0, "budget_usd"]);
  });

  test("in dollars goes by the user's own prices, which the cost does too", async () => {
    using user = agentUser();
    await using api = startMessagesApi({ script: (_request, index) => ({ ...bash(`echo ${index}`), usage: { ...USED, input_tokens: 8_000, output_tokens: 100 } }) });
    mkdirSync(join(user.home, "config", "agent"), { recursive: true });
    writeFileSync(join(user.home, "config", "agent", "config.jsonc"), '{ "prices": { "local-model": { "input": 10, "output": 100 } } }');
    const run = await stream(user, api, ["-m", "local-model", "--max-budget-usd", "0.2", "go"]);
    const spent = run.result.cost.usd ?? 0;
    expect(run.result).toMatchObject({ exit: { code: 4 }, error: { code: "budget_usd" }, cost: { by_model: { "local-model": spent } } });
    expect(spent).toBeCloseTo(run.result.num_turns > 2 ? 0.18 : 0.09, 6);
    expect(spent).toBeLessThanOrEqual(0.2);
  });

  test("in dollars for a model whose price nobody knows is exit 2, with what to do", async () => {
    using user = agentUser();
    await using api = startMessagesApi({ script: [] });
    const ended = await user.run(["run", "-m", "local-model", "--max-budget-usd", "1", "go"], { env: api.env() });
    expect([ended.exitCode, ended.stdout]).toEqual([2, ""]);
    expect(ended.stderr).toMatch(/"local-model" is not known.*prices\.local-model/);
  });

  test("of tool calls: those beyond it are not run, exit 4", async () => {
    using user = agentUser();
    await using api = startMessagesApi({
      script: [bash("touch one"), { content: [{ type: "text", text: "two more" }, ...["two", "three"].map((name) => ({ type: "tool_use" as const, name: "Bash", input: { command: `touch ${name}` } }))] }],
    });
    const run = await stream(user, api, ["--permission-mode", "bypassPermissions", "--max-tool-calls", "2", "go"]);
    expect(run.result).toMatchObject({ status: "failed", exit: { code: 4, reason: "budget" }, error: { code: "budget_tool_calls" }, result: "two more" });
    expect(["one", "two", "three"].map((name) => existsSync(join(user.project, name)))).toEqual([true, true, false]);
    expect(eventsOfType(run.all, "budget.exceeded")).toMatchObject([{ scope: "tool_calls", used: 2, limit: 2 }]);
    expect(run.stderr).toContain("2 of 2 tool calls");
    api.expectNoRefusals();
  });

  test("goes with a run in the background, and each attempt has it anew", async () => {
    using user = agentUser();
    await using api = startMessagesApi({ script: (_request, index) => bash(`echo ${index}`, `step ${index}`) });
    const id = (await user.run(["run", "-d", "--permission-mode", "bypassPermissions", "--max-tool-calls", "2", "--idle-timeout", "50s", "--fallback-model", "haiku", "go"], { env: api.env() })).stdout.trim();
    const waited = await user.run(["wait", id]);
    expect([waited.exitCode, waited.stdout]).toEqual([4, "step 2\n"]);
    const first = events((await user.run(["events", id])).stdout);
    expect(first[0]).toMatchObject({ limits: { max_tool_calls: 2, idle_timeout_ms: 50_000 } });

    const resumed = await user.run(["resume", "--output-format", "stream-json", id, "go on"], { env: api.env() });
    const again = events(resumed.stdout);
    expect(again[0]).toMatchObject({ limits: { max_tool_calls: 2, idle_timeout_ms: 50_000 } });
    expect(runResult(resumed.stdout)).toMatchObject({ exit: { code: 4 }, result: "step 5" });
    api.expectNoRefusals();
  });
});

describe.concurrent("--idle-timeout", () => {
  test("ends a run whose model says nothing any more, exit 6, with what was said so far", async () => {
    using user = agentUser();
    await using api = startMessagesApi({ script: [{ ...say("the beginning of an answer"), chunkChars: 8, faults: { breakOff: { how: "stall", afterEvents: 4, pingEveryMs: 20 } } }] });
    const run = await stream(user, api, ["--idle-timeout", "1", "go"]);
    expect(run.result).toMatchObject({ status: "failed", exit: { code: 6, reason: "stalled" }, error: { code: "stalled" } });
    expect(run.result.result).toStartWith("the beg");
    expect(run.stderr).toContain("--idle-timeout");
  });

  test("lets a command be silent within its own time limit", async () => {
    using user = agentUser();
    await using api = startMessagesApi({ script: [bash("sleep 2"), say("done")] });
    const run = await stream(user, api, ["--permission-mode", "bypassPermissions", "--idle-timeout", "1", "go"]);
    expect(run.result).toMatchObject({ exit: { code: 0 }, result: "done" });
  });

  test("of a command that was given with --exec is the time without output", async () => {
    using user = agentUser();
    const ended = await user.run(["run", "--idle-timeout", "1", "--exec", "--", "sh", "-c", "for i in 1 2 3 4; do echo $i; sleep 0.3; done; exec sleep 60"]);
    expect([ended.exitCode, ended.stdout]).toEqual([6, "1\n2\n3\n4\n"]);
  });

  test("does not count time in which the run is halted", async () => {
    using user = agentUser();
    await using api = startMessagesApi({ script: [{ ...say("done"), latencyMs: 1_500 }] });
    const running = user.start(["run", "--idle-timeout", "1", "go"], { env: api.env() });
    await waitFor(() => api.requests.length > 0);
    running.kill("SIGTSTP");
    // The limit itself has to pass.
    await Bun.sleep(1_400);
    running.kill("SIGCONT");
    expect(await running.ended).toMatchObject({ exitCode: 0, stdout: "done\n" });
  });
});

describe.concurrent("a service that does not answer", () => {
  test("is left for the fallback model, which the result names", async () => {
    using user = agentUser();
    await using api = startMessagesApi({ script: (request) => (request.body["model"] === "claude-sonnet-5-5" ? OVERLOADED : say("from the other")) });
    const run = await stream(user, api, ["--fallback-model", "haiku,opus", "go"]);
    expect(run.result).toMatchObject({ exit: { code: 0 }, result: "from the other", usage: { by_model: { "claude-haiku-5-5": expect.anything() } } });
    expect(Object.keys(run.result.cost.by_model)).toEqual(["claude-haiku-5-5"]);
    expect(eventsOfType(run.all, "model.fallback")).toMatchObject([{ from: "claude-sonnet-5-5", to: "claude-haiku-5-5" }]);
    expect(run.result.warnings).toEqual([expect.stringContaining('Went on with the model "claude-haiku-5-5" instead of "claude-sonnet-5-5"')]);
    expect(run.stderr).toContain("claude-haiku-5-5");
  });

  const LIMIT: Answer = { status: 429, type: "rate_limit_error", message: "limit reached", headers: { "retry-after-ms": "61500" } };
  const SOON: Answer = { status: 429, type: "rate_limit_error", message: "limit reached", headers: { "retry-after-ms": "300" } };

  test("until a limit resets later than a minute is exit 75; with --wait-for-limit the run sleeps, within its --timeout", async () => {
    using user = agentUser();
    await using api = startMessagesApi({ script: () => LIMIT });
    expect((await stream(user, api, ["go"])).exitCode).toBe(75);
    const waiting = await stream(user, api, ["--timeout", "1", "--wait-for-limit", "2h", "go"]);
    expect(waiting.result.exit).toEqual({ code: 124, reason: "timeout" });
    expect(eventsOfType(waiting.all, "api.retry")).toMatchObject([{ delay_ms: 61_500 }]);
    expect(waiting.all[0]).toMatchObject({ limits: { wait_for_limit_ms: 7_200_000 } });
    expect((await stream(user, api, ["--wait-for-limit=1m", "go"])).exitCode).toBe(75);
  });

  test("is asked again once its limit has reset, and the wait is no silence", async () => {
    using user = agentUser();
    await using api = startMessagesApi({ script: [{ ...SOON, headers: { "retry-after-ms": "1800" } }, say("done")] });
    const run = await stream(user, api, ["--wait-for-limit", "--idle-timeout", "1", "go"]);
    expect(run.result).toMatchObject({ exit: { code: 0 }, result: "done" });
  });

  test("and is to be waited for no longer than that resets is exit 75", async () => {
    using user = agentUser();
    await using api = startMessagesApi({ script: () => SOON });
    const run = await stream(user, api, ["--wait-for-limit", "100ms", "go"]);
    expect([run.result.exit, api.requests.length]).toEqual([{ code: 75, reason: "retry_later" }, 1]);
  });
});

test("--task-budget is told to the model", async () => {
  using user = agentUser();
  await using api = startMessagesApi({ script: [say("done")] });
  const run = await stream(user, api, ["--task-budget", "25000", "go"]);
  expect(run.all[0]).toMatchObject({ limits: { task_budget_tokens: 25_000 } });
  expect(api.requests[0]?.body["output_config"]).toMatchObject({ task_budget: { type: "tokens", total: 25_000 } });
  api.expectNoRefusals();
});
