import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync } from "node:fs";
import { startScriptedApi } from "../support/scripted-api-server.ts";
import { refusal, reply, text, toolUse } from "../support/api-reply.ts";
import { killHard } from "../support/processes.ts";
import { agentUser, type AgentUser } from "../support/spawn-agent.ts";
import { executable } from "../support/executable.ts";
import { waitFor } from "../support/wait-for.ts";

/** What a run in json format says about itself. */
async function resultOf(user: AgentUser, args: readonly string[], env: Record<string, string> = {}) {
  const ended = await user.run(["run", "--output-format", "json", ...args], { env });
  const result = JSON.parse(ended.stdout) as { type: string; status: string; exit: { code: number; reason: string }; error?: { code: string }; num_turns: number; permission_denials: unknown[] };
  // The process, the status and the reason never disagree.
  expect(ended.exitCode).toBe(result.exit.code);
  return { ...result, stderr: ended.stderr };
}

function service(api: { readonly url: string }): Record<string, string> {
  return { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "test-key", AGENT_API_ATTEMPTS: "2" };
}

const SLEEPS = [{ reply: [{ text: "waiting" }, { tool: "Bash", input: { command: "sleep 60" } }] }, { reply: [{ text: "done" }] }];

describe("the exit status of a run says how it ended", () => {
  test("0 ok: the work was done", async () => {
    using user = agentUser();
    const result = await resultOf(user, ["-m", user.script([{ reply: [{ text: "hi" }] }]), "say hi"]);
    expect([result.status, result.exit]).toEqual(["completed", { code: 0, reason: "ok" }]);
  });

  test("1 failed: the command of --exec failed, with its own code on record", async () => {
    using user = agentUser();
    const ended = await user.run(["run", "--exec", "--", "sh", "-c", "echo out; echo err >&2; exit 7"]);
    expect([ended.exitCode, ended.stdout]).toEqual([1, "out\nerr\n"]);
    const listed = JSON.parse((await user.run(["ps", "-a", "--json"])).stdout) as { id: string }[];
    const [record] = JSON.parse((await user.run(["inspect", listed[0]?.id ?? ""])).stdout) as { detail: { exitCode: number } }[];
    expect(record?.detail.exitCode).toBe(7);
  });

  test("1 failed: the service refuses the request itself", async () => {
    using user = agentUser();
    await using api = startScriptedApi({ turns: [refusal(400, "invalid_request_error", "no")] });
    const result = await resultOf(user, ["go"], service(api));
    expect([result.status, result.exit]).toEqual(["failed", { code: 1, reason: "failed" }]);
  });

  test("1 owner_lost: the process of the run is gone", async () => {
    using user = agentUser();
    const id = (await user.run(["run", "-d", "-m", user.script(SLEEPS), "go"])).stdout.trim();
    const [record] = JSON.parse((await user.run(["inspect", id])).stdout) as { run: { pid: number } }[];
    await killHard(record?.run.pid ?? 0);
    const waited = await user.run(["wait", id]);
    expect([waited.exitCode, waited.stdout]).toEqual([1, ""]);
    expect((await user.run(["inspect", id])).stdout).toContain('"owner_lost"');
  });

  test.each([
    ["an unknown flag", ["run", "--backgruond", "x"], "--background"],
    ["an unknown command", ["rnu", "x"], "agent run"],
    ["a missing value", ["run", "x", "-m"], "-m"],
    ["a value that is none of the possible ones", ["run", "--permission-mode", "yolo", "x"], "--permission-mode"],
    ["words that were not quoted", ["run", "say", "hi"], "quotes"],
    ["nothing to do", ["run"], "prompt"],
    ["a rule for a tool that does not exist", ["run", "--allow", "Bsah(ls)", "-m", "scripted:demo", "x"], "Bsah"],
    ["an impossible number", ["run", "--max-turns", "0", "-m", "scripted:demo", "x"], "--max-turns"],
    ["an impossible time", ["run", "--timeout", "soon", "-m", "scripted:demo", "x"], "--timeout"],
    ["a directory that is not there", ["run", "-C", "/no/such/dir", "-m", "scripted:demo", "x"], "/no/such/dir"],
    ["a script that is not there", ["run", "-m", "scripted:none.json", "x"], "none.json"],
  ])("2 usage: %s", async (_what, args, named) => {
    using user = agentUser();
    const ended = await user.run(args);
    expect([ended.exitCode, ended.stdout]).toEqual([2, ""]);
    expect(ended.stderr).toContain(named);
  });

  test("3 permission_denied: a call was refused in the last turn that made calls", async () => {
    using user = agentUser();
    const script = user.script([{ reply: [{ tool: "Bash", input: { command: "rm -rf x" } }] }, { reply: [{ text: "All done!" }] }]);
    const result = await resultOf(user, ["-m", script, "go"]);
    expect([result.status, result.exit]).toEqual(["failed", { code: 3, reason: "permission_denied" }]);
    expect(result.stderr).toContain("--allow");
  });

  test("3 permission_denied: at the first refusal with --on-deny fail, without another request", async () => {
    using user = agentUser();
    const script = user.script([{ reply: [{ tool: "Bash", input: { command: "rm -rf x" } }] }]);
    const result = await resultOf(user, ["--deny", "Bash(rm:*)", "--on-deny", "fail", "-m", script, "go"]);
    expect(result.exit).toEqual({ code: 3, reason: "permission_denied" });
  });

  test("3 permission_denied: the same call was refused for the third time", async () => {
    using user = agentUser();
    const script = user.script([{ reply: [{ tool: "Bash", input: { command: "rm -rf x" } }] }], { repeatLast: true });
    const result = await resultOf(user, ["-m", script, "go"]);
    expect([result.status, result.exit, result.num_turns]).toEqual(["failed", { code: 3, reason: "permission_denied" }, 3]);
    expect(result.error).toMatchObject({ code: "denial_limit", message: expect.stringMatching(/Bash was refused 3 times: .*"rm -rf x".*--allow 'Bash\(rm -rf x\)' would allow it/) });
    expect(result.permission_denials).toHaveLength(3);
  });

  test("0 ok: a refusal that the agent got over does not spoil the run", async () => {
    using user = agentUser();
    const script = user.script([
      { reply: [{ tool: "Bash", input: { command: "rm -rf x" } }] },
      { reply: [{ tool: "Bash", input: { command: "pwd" } }] },
      { reply: [{ text: "done without it" }] },
    ]);
    expect((await resultOf(user, ["-m", script, "go"])).exit).toEqual({ code: 0, reason: "ok" });
  });

  test("5 max_turns: the model went on for too long", async () => {
    using user = agentUser();
    const script = user.script([{ reply: [{ tool: "Bash", input: { command: "pwd" } }] }], { repeatLast: true });
    expect((await resultOf(user, ["--max-turns", "3", "-m", script, "go"])).exit).toEqual({ code: 5, reason: "max_turns" });
  });

  test.each([["wait"], ["stop"], ["inspect"], ["logs"], ["rm"]])("7 not_found: agent %s of a task that is not there", async (command) => {
    using user = agentUser();
    const ended = await user.run([command, "bzzzzzzzz"]);
    expect([ended.exitCode, ended.stdout]).toEqual([7, ""]);
    expect(ended.stderr).toContain("bzzzzzzzz");
  });

  test("8 conflict: a task that has ended cannot be stopped, a running one not removed, a name in use not taken", async () => {
    using user = agentUser();
    const running = (await user.run(["run", "-d", "--name", "one", "-m", user.script(SLEEPS), "go"])).stdout.trim();
    expect((await user.run(["rm", running])).exitCode).toBe(8);
    const second = await user.run(["run", "-d", "--name", "one", "-m", user.script(SLEEPS), "go"]);
    expect([second.exitCode, second.stdout]).toEqual([8, ""]);
    expect(second.stderr).toContain('"one"');
    expect((await user.run(["stop", running])).exitCode).toBe(0);
    expect((await user.run(["stop", running])).exitCode).toBe(8);
    expect((await user.run(["stop", "--if-running", running])).exitCode).toBe(0);
  });

  test("9 auth: no credentials, with three ways to go on", async () => {
    using user = agentUser();
    const ended = await user.run(["run", "go"]);
    expect([ended.exitCode, ended.stdout]).toEqual([9, ""]);
    for (const way of ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "scripted:demo"]) expect(ended.stderr).toContain(way);
  });

  test.each([
    [401, "authentication_error"],
    [403, "permission_error"],
  ])("9 auth: the service refuses the credentials with %d", async (status, type) => {
    using user = agentUser();
    await using api = startScriptedApi({ turns: [refusal(status, type, "no")] });
    expect((await resultOf(user, ["go"], service(api))).exit).toEqual({ code: 9, reason: "auth" });
  });

  test.each([
    ["overloaded", 529, "overloaded_error"],
    ["broken", 500, "api_error"],
    ["limiting", 429, "rate_limit_error"],
  ])("10 api_unavailable: the service stays %s", async (_what, status, type) => {
    using user = agentUser();
    const busy = refusal(status, type, "busy", { "retry-after-ms": "1" });
    await using api = startScriptedApi({ turns: [busy, busy] });
    expect((await resultOf(user, ["go"], service(api))).exit).toEqual({ code: 10, reason: "api_unavailable" });
    expect(api.requests).toHaveLength(2);
  });

  test("10 api_unavailable: nobody answers", async () => {
    using user = agentUser();
    expect((await resultOf(user, ["go"], service({ url: "http://127.0.0.1:9" }))).exit).toEqual({ code: 10, reason: "api_unavailable" });
  });

  test("14 storage: the state folder is open to others", async () => {
    using user = agentUser();
    mkdirSync(user.stateDirectory);
    chmodSync(user.stateDirectory, 0o777);
    const ended = await user.run(["run", "-m", "scripted:demo", "hello"]);
    expect([ended.exitCode, ended.stdout]).toEqual([14, ""]);
    expect(ended.stderr).toContain(user.stateDirectory);
  });

  test("75 retry_later: a limit of the service that resets later than a run waits", async () => {
    using user = agentUser();
    await using api = startScriptedApi({ turns: [refusal(429, "rate_limit_error", "later", { "retry-after": "3600" })] });
    expect((await resultOf(user, ["go"], service(api))).exit).toEqual({ code: 75, reason: "retry_later" });
  });

  test("124 timeout: of the run, and of waiting for it", async () => {
    using user = agentUser();
    const timedOut = await resultOf(user, ["--timeout", "300ms", "-m", user.script(SLEEPS), "go"]);
    expect([timedOut.status, timedOut.exit]).toEqual(["failed", { code: 124, reason: "timeout" }]);
    const id = (await user.run(["run", "-d", "-m", user.script(SLEEPS), "go"])).stdout.trim();
    expect((await user.run(["wait", "--timeout", "200ms", id])).exitCode).toBe(124);
    await user.run(["stop", id]);
  });

  test.each([
    ["SIGINT", 130, "interrupted"],
    ["SIGTERM", 143, "terminated"],
    ["SIGHUP", 129, "hangup"],
  ] as const)("%s ends the run with its result as the last line", async (signal, code, reason) => {
    using user = agentUser();
    const running = user.start(["run", "--output-format", "stream-json", "-m", user.script(SLEEPS), "go"]);
    await waitFor(async () => (await user.run(["ps", "-a", "--json"])).stdout.includes('"local_bash"'));
    running.kill(signal);
    const ended = await running.ended;
    const lines = ended.stdout.trimEnd().split("\n").map((line) => JSON.parse(line) as { type: string; status?: string; exit?: object });
    expect(lines.at(-1)).toMatchObject({ type: "run.result", status: "killed", exit: { code, reason } });
    expect(lines.filter((line) => line.type === "run.result")).toHaveLength(1);
    expect(ended.exitCode).toBe(code);
  });

  test("137 killed: stopped from outside, and waiting for it says the same", async () => {
    using user = agentUser();
    const id = (await user.run(["run", "-d", "-m", user.script(SLEEPS), "go"])).stdout.trim();
    await waitFor(async () => (await user.run(["ps", "-a", "--json"])).stdout.includes('"local_bash"'));
    const waiting = user.start(["wait", id]);
    expect((await user.run(["stop", id])).exitCode).toBe(0);
    const waited = await waiting.ended;
    expect([waited.exitCode, waited.stdout]).toEqual([137, "waiting\n"]);
  });

  test("141 epipe: whoever reads the output has gone", async () => {
    using user = agentUser();
    const running = user.start(["run", "--output-format", "stream-json", "-m", user.script(SLEEPS), "go"], { readsStdout: true });
    const reader = running.stdout.getReader();
    await reader.read();
    await reader.cancel();
    // The next event finds nobody. Where the command sleeps already, it is stopped from outside to bring one about.
    let hasEnded = false;
    const ended = running.ended.finally(() => (hasEnded = true));
    await waitFor(async () => {
      const tasks = JSON.parse((await user.run(["ps", "-a", "--json"])).stdout) as { id: string; type: string }[];
      const shell = tasks.find((task) => task.type === "local_bash");
      if (shell !== undefined) await user.run(["stop", "--if-running", shell.id]);
      return hasEnded;
    });
    expect((await ended).exitCode).toBe(141);
  });
});

test("a whole conversation over HTTP does its work and says so", async () => {
  using user = agentUser();
  await using api = startScriptedApi({
    turns: [reply(text("writing"), toolUse("Write", { file_path: "made.txt", content: "made\n" })), reply(text("finished"))],
  });
  const ended = await user.run(["run", "--permission-mode", "acceptEdits", "go"], { env: service(api) });
  expect([ended.exitCode, ended.stdout]).toEqual([0, "finished\n"]);
  expect(await Bun.file(`${user.project}/made.txt`).text()).toBe("made\n");
});

test("a second signal ends what ignores the first at once, and the run with it", async () => {
  using user = agentUser();
  const script = user.script([{ reply: [{ tool: "Bash", input: { command: "trap '' TERM; echo deaf; sleep 60 & wait; sleep 60" } }] }]);
  const running = user.start(["run", "--output-format", "json", "--permission-mode", "bypassPermissions", "-m", script, "go"]);
  const [shell] = await waitFor(async () => {
    const tasks = JSON.parse((await user.run(["ps", "-a", "--json"])).stdout) as { id: string; type: string }[];
    const shells = tasks.filter((task) => task.type === "local_bash");
    return shells.length > 0 && shells;
  });
  await waitFor(async () => (await user.run(["logs", shell?.id ?? ""])).stdout.includes("deaf"));
  const startedAt = performance.now();
  running.kill("SIGINT");
  await waitFor(() => running.stderrSoFar().includes("once more"));
  running.kill("SIGINT");
  const ended = await running.ended;
  expect(ended.exitCode).toBe(130);
  // The grace for the polite way alone would be five seconds.
  expect(performance.now() - startedAt).toBeLessThan(4_000);
  expect(JSON.parse(ended.stdout)).toMatchObject({ type: "run.result", exit: { code: 130 } });
});

test("an argument that is not UTF-8 is refused instead of being taken for another", async () => {
  using user = agentUser();
  const run = (word: string) => Bun.spawnSync(["bash", "-c", `exec "$0" run --exec -- echo ${word}`, executable()], { cwd: user.project, env: { PATH: process.env["PATH"], HOME: user.home, AGENT_STATE_DIR: user.stateDirectory } });
  expect(run("$'a\\xff'").exitCode).toBe(2);
  expect(run("$'a\\xef\\xbf\\xbd'").stdout.toString()).toBe("a\ufffd\n");
});
