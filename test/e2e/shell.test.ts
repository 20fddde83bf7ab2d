import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isAlive } from "../support/processes.ts";
import { events, eventsOfType, runResult } from "../support/run-events.ts";
import { agentUser, type AgentUser } from "../support/spawn-agent.ts";
import { runInTerminal, startInTerminal } from "../support/terminal.ts";
import { waitFor } from "../support/wait-for.ts";

interface Call {
  readonly command: string;
  readonly timeout?: number;
  readonly run_in_background?: boolean;
}

/** Has a model make calls of Bash, one a turn, and resolves to what happened. */
async function runCalls(user: AgentUser, calls: readonly Call[]) {
  const script = user.script([...calls.map((input) => ({ reply: [{ tool: "Bash", input }] })), { reply: [{ text: "done" }] }], { repeatLast: true });
  const ended = await user.run(["run", "--output-format", "stream-json", "--permission-mode", "bypassPermissions", "-m", script, "go"]);
  const all = events(ended.stdout);
  return { ended, all, results: eventsOfType(all, "tool.completed"), result: runResult(ended.stdout) };
}

describe("a command that leaves something running does not hold the call (A18)", () => {
  test.each([
    ["a silent process", "sleep 61 & echo ready"],
    ["a server that keeps talking", "(while :; do echo tick; sleep 0.05; done) & echo ready"],
    ["a process that writes elsewhere", "sleep 61 >/dev/null 2>&1 & echo ready"],
    ["a process that ignores hangups", "nohup sleep 61 >/dev/null 2>&1 & echo ready"],
  ])("%s", async (_what, command) => {
    using user = agentUser();
    const { results, result } = await runCalls(user, [{ command }]);
    expect(results[0]?.content).toContain("ready");
    expect(results[0]?.content).toMatch(/Exit code 0; the shell has exited but left process(es)? \d+.* running/);
    expect(results[0]?.content).toContain("TaskStop");
    expect(results[0]?.duration_ms).toBeLessThan(1_500);
    // It is a task of its own from then on, and is ended with the run.
    expect(result.children).toMatchObject([{ type: "local_bash", status: "killed" }]);
    const [pid = 0] = /left process(?:es)? (\d+)/.exec(results[0]?.content ?? "")?.slice(1).map(Number) ?? [];
    expect(isAlive(pid)).toBe(false);
  });
});

describe("only a command that ended by itself with 0 is completed (A22)", () => {
  test.each([
    ["that failed", { command: "exit 3" }, { code: 1, reason: "failed" }, "Exit code 3"],
    ["that was killed from outside", { command: "kill -KILL $$" }, { code: 1, reason: "failed" }, "SIGKILL"],
    ["whose program was killed", { command: "sh -c 'kill -KILL $$'; exit $?" }, { code: 1, reason: "failed" }, "Exit code 137 (SIGKILL)"],
    ["that took too long", { command: "sleep 61", timeout: 100 }, { code: 124, reason: "timeout" }, "Killed after 0.1 s, its time limit"],
    ["that took too long and says that all is well", { command: "trap 'exit 0' TERM; echo started; sleep 61 & wait", timeout: 200 }, { code: 124, reason: "timeout" }, "Killed after 0.2 s"],
    ["that does not exist", { command: "no-such-command-7" }, { code: 1, reason: "failed" }, "Exit code 127"],
  ] as const)("one %s is not", async (_what, call, exit, said) => {
    using user = agentUser();
    const { all, results } = await runCalls(user, [call]);
    const update = eventsOfType(all, "task.updated").find((event) => event.task_id.startsWith("b"));
    expect(update).toMatchObject({ status: "failed", exit });
    expect(results[0]).toMatchObject({ is_error: true });
    expect(results[0]?.content).toContain(said);
  });

  test.each([
    ["killed from outside", "echo begun; kill -KILL $$", [], { status: "failed", code: 1 }],
    ["stopped by its limit", "echo begun; sleep 61", ["--timeout", "300ms"], { status: "failed", code: 124 }],
    ["stopped while it says that all is well", "trap 'exit 0' TERM; echo begun; sleep 61 & wait", "stop", { status: "killed", code: 137 }],
  ] as const)("nor one in the background that was %s", async (_what, command, how, { status, code }) => {
    using user = agentUser();
    const id = (await user.run(["run", "-d", ...(how === "stop" ? [] : how), "--exec", "--", "bash", "-c", command])).stdout.trim();
    await waitFor(async () => (await user.run(["logs", id])).stdout === "begun\n");
    if (how === "stop") await user.run(["stop", id]);
    expect((await user.run(["wait", "-q", id])).exitCode).toBe(code);
    expect(JSON.parse((await user.run(["inspect", id])).stdout)).toMatchObject([{ status, exit: { code } }]);
  });
});

describe("a program that wants to ask somebody does not wait (A24)", () => {
  const askers = [
    ["a commit without a message", "git init -q . && git -c user.name=a -c user.email=a@b commit --allow-empty; echo ended"],
    ["an interactive rebase", "git init -q . && git config user.name a && git config user.email a@b && git commit -q --allow-empty -m one && git commit -q --allow-empty -m two && git rebase -i HEAD~1; echo ended"],
    ["a pager", "git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one && git -c core.pager='less -+F' log; echo ended"],
    ["an editor", "${EDITOR:-vi} file; echo ended"],
    ["a password prompt", "ssh -o BatchMode=no -o ConnectTimeout=1 nobody@127.0.0.1 true; echo ended"],
    ["the terminal itself", "read answer </dev/tty; echo \"got $answer\"; echo ended"],
    ["stdin", "read answer; cat; echo \"got $answer\"; echo ended"],
  ] as const;

  test.each(askers)("%s, started from a terminal", async (_what, command) => {
    using user = agentUser();
    const script = user.script([{ reply: [{ tool: "Bash", input: { command } }] }, { expect: { results: [{ contains: "ended" }] }, reply: [{ text: "went on" }] }]);
    const startedAt = performance.now();
    const { shown, exitCode } = await runInTerminal(["bash", "-c", `agent run --permission-mode bypassPermissions -m ${script} go`], { cwd: user.project, env: user.env });
    expect(shown).toContain("went on");
    expect(exitCode).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  test("nor has a command any terminal at all", async () => {
    using user = agentUser();
    const { results } = await runCalls(user, [{ command: "tty; tty <&1; tty <&2; cut -d' ' -f7 /proc/$$/stat; ls -l /proc/$$/fd | grep -c pts; echo $TERM" }]);
    expect(results[0]?.content.split("\n").map((line) => line.trim())).toEqual(["not a tty", "not a tty", "not a tty", "0", "0", "dumb"]);
  });
});

describe("agent run --exec", () => {
  test("shows output while it comes", async () => {
    using user = agentUser();
    const running = user.start(["run", "--exec", "--", "sh", "-c", "echo first; until [ -e go-on ]; do sleep 0.01; done; echo second"], { readsStdout: true });
    const reader = running.stdout.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe("first\n");
    writeFileSync(join(user.project, "go-on"), "");
    expect(new TextDecoder().decode((await reader.read()).value)).toBe("second\n");
    expect((await running.ended).exitCode).toBe(0);
  });

  test("passes every argument as it is", async () => {
    using user = agentUser();
    const words = ["two words", "it's", '"', "$HOME", "`x`", "*", "", "--", "-m", "ü\n😀"];
    const ended = await user.run(["run", "--exec", "--", "printf", "%s|", ...words]);
    expect(ended).toMatchObject({ stdout: words.map((word) => `${word}|`).join(""), stderr: "", exitCode: 0 });
  });

  test("passes on every byte", async () => {
    using user = agentUser();
    const bytes = Buffer.concat([Buffer.from(Array.from({ length: 256 }, (_, index) => index)), crypto.getRandomValues(Buffer.alloc(3_000_000))]);
    writeFileSync(join(user.project, "bytes"), bytes);
    const ended = await user.shell("agent run --exec -- cat bytes > out; agent logs $(agent ps -aq) > logged; agent run --exec -- cat bytes | cat > piped");
    expect(ended).toMatchObject({ stderr: "", exitCode: 0 });
    for (const name of ["out", "logged", "piped"]) expect([name, readFileSync(join(user.project, name)).equals(bytes)]).toEqual([name, true]);
  });

  test.each([
    ["true", ["true"], 0, ""],
    ["false", ["false"], 1, "Exit code 1"],
    ["a code of its own", ["sh", "-c", "exit 77"], 1, "Exit code 77"],
    ["a signal", ["sh", "-c", "kill -TERM $$"], 1, "SIGTERM"],
    ["a program that is not there", ["no-such-program-7"], 1, 'Cannot start "no-such-program-7": there is no such program'],
    ["a file that is no program", ["./notes.txt"], 1, "cannot be executed"],
  ])("exits with 0 or 1, and says why: %s", async (_what, argv, code, said) => {
    using user = agentUser();
    writeFileSync(join(user.project, "notes.txt"), "not a program");
    const ended = await user.run(["run", "--exec", "--", ...argv]);
    expect([ended.stdout, ended.exitCode]).toEqual(["", code]);
    if (said === "") expect(ended.stderr).toBe("");
    else expect(ended.stderr).toContain(said);
  });

  test("gives the command an empty stdin, whatever its own is", async () => {
    using user = agentUser();
    expect((await user.run(["run", "--exec", "--", "wc", "-c"], { stdin: "12345" })).stdout.trim()).toBe("0");
    expect((await user.shell("mkfifo pipe; exec 9<>pipe; agent run --exec -- wc -c <pipe")).stdout.trim()).toBe("0");
  });

  test("waits for what the command leaves running, as a shell would for its output", async () => {
    using user = agentUser();
    const ended = await user.run(["run", "--exec", "--", "sh", "-c", "(sleep 0.3; echo late) & echo early"]);
    expect(ended).toMatchObject({ stdout: "early\nlate\n", exitCode: 0 });
  });

  test("ends with everything it started when its terminal is closed", async () => {
    using user = agentUser();
    const terminal = startInTerminal(["bash", "-c", "exec agent run --exec -- bash -c 'sleep 61 & sleep 62 & echo $! started; wait'"], { cwd: user.project, env: user.env });
    await waitFor(() => terminal.shown().includes("started"));
    const child = Number(/(\d+) started/.exec(terminal.shown())?.[1]);
    expect(isAlive(child)).toBe(true);
    terminal.hangUp();
    await terminal.exited;
    expect(isAlive(child)).toBe(false);
    expect(JSON.parse((await user.run(["ps", "-a", "--json"])).stdout)).toMatchObject([{ status: "killed" }]);
  });
});

test("shells in the background are ended with the run and listed, and do not spoil it", async () => {
  using user = agentUser();
  const { ended, all, result } = await runCalls(user, [
    { command: "sleep 61", run_in_background: true },
    { command: "exit 4", run_in_background: true },
    { command: "echo quick", run_in_background: true },
    { command: "sleep 0.2" },
  ]);
  expect(result.exit).toEqual({ code: 0, reason: "ok" });
  expect(result.children.map(({ type, status, exit_code: code, required }) => [type, status, code, required])).toEqual([
    ["local_bash", "killed", 137, false],
    ["local_bash", "failed", 4, false],
    ["local_bash", "completed", 0, false],
  ]);
  expect(eventsOfType(all, "task.updated").filter((event) => event.task_id === result.children[0]?.task_id)).toHaveLength(1);
  expect(ended.stderr).toContain(result.children[0]?.task_id ?? "?");
});
