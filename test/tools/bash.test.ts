import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ToolOutput } from "../../src/core/agent.ts";
import { bashTool } from "../../src/tools/bash.ts";
import { taskStopTool } from "../../src/tools/task-stop.ts";
import { agentContext, callTool } from "../support/agent-context.ts";
import { processesWithMark } from "../support/processes.ts";
import { type TestTaskHost, testTaskHost } from "../support/test-task-host.ts";
import { appErrorOf } from "../support/thrown.ts";
import { waitFor } from "../support/wait-for.ts";

function run(input: Record<string, unknown>, host: TestTaskHost, options: { cwd?: string; signal?: AbortSignal } = {}): Promise<ToolOutput> {
  const context = agentContext(options.cwd ?? host.workspace, { mode: "bypassPermissions", host });
  return callTool(bashTool, input, context, options.signal);
}

function stopTask(content: string, host: TestTaskHost): Promise<ToolOutput> {
  const [id] = /\bb[0-9a-z]{8}\b/.exec(content) ?? [];
  return callTool(taskStopTool, { task_id: id }, agentContext(host.workspace, { mode: "bypassPermissions", host }));
}

function lastLine({ content }: ToolOutput): string {
  return content.slice(content.lastIndexOf("\n") + 1);
}

test("a command that succeeds gives its output alone", async () => {
  using host = testTaskHost();
  expect(await run({ command: "echo hello; echo there >&2" }, host)).toEqual({ content: "hello\nthere" });
  expect(await run({ command: "true" }, host)).toEqual({ content: "(no output)" });
});

test("a command that fails gives its output and its code, as an error", async () => {
  using host = testTaskHost();
  expect(await run({ command: "echo broken; exit 3" }, host)).toEqual({ content: "broken\nExit code 3", isError: true });
});

test("finished foreground calls leave memory and stay on record", async () => {
  using host = testTaskHost();
  await run({ command: "true", description: "Do nothing" }, host);
  expect(host.getAppState()).toEqual({ tasks: {}, effects: new Map() });
  expect(host.ledger.listTasks({ all: true })).toMatchObject([{ status: "completed", description: "Do nothing", toolUseId: "toolu_1", parentTaskId: "a00000000" }]);
});

test("the time limit kills and says so", async () => {
  using host = testTaskHost();
  const output = await run({ command: "echo begun; sleep 60", timeout: 200 }, host);
  expect(output).toEqual({ content: "begun\nKilled after 0.2 s, its time limit", isError: true });
});

test.each([[{ command: "" }], [{ command: "a\0b" }], [{ command: "true", timeout: 600_001 }], [{ command: "true", timeout: 0 }], [{ command: "true", dangerous: true }]])(
  "input outside the limits is refused: %p",
  async (input) => {
    using host = testTaskHost();
    expect(bashTool.inputSchema().safeParse(input).success).toBe(false);
    expect(host.ledger.listTasks({ all: true })).toEqual([]);
  },
);

test("12 MB of output with the reason at the end: code and reason arrive, the cut is stated (A13)", async () => {
  using host = testTaskHost();
  const output = await run({ command: "yes 0123456789 | head -c 12000000; echo; echo FAILED: reason; exit 3" }, host);
  expect(output.isError).toBe(true);
  expect(Buffer.byteLength(output.content)).toBeLessThan(30_000);
  expect(output.content.slice(-300)).toContain("FAILED: reason\nExit code 3\nThe output is in ");
  const [, omitted = ""] = /\[\.\.\. (\d+) bytes of output left out \.\.\.\]/.exec(output.content) ?? [];
  expect(Number(omitted)).toBe(12_000_016 - 28_000);
  const path = lastLine(output).replace("The output is in ", "");
  expect(statSync(path).size).toBe(12_000_016);
});

test("an output file that was cut is not called whole", async () => {
  using host = testTaskHost({ outputBytesMax: 50_000 });
  const output = await run({ command: "yes | head -c 100000" }, host);
  const [, lost, file = ""] = /^(\d+) bytes of the output were not kept; its beginning is in (\/.*), and what is kept of the rest is in files named \2\.OFFSET$/.exec(lastLine(output)) ?? [];
  expect(Number(lost)).toBeGreaterThanOrEqual(50_000);
  expect(Number(lost)).toBeLessThan(50_000 + 50_000 / 8);
  expect(statSync(file).size).toBeGreaterThan(25_000);
});

test("300 MB on one line pass in bounded memory (A10)", async () => {
  using host = testTaskHost({ outputBytesMax: 1_000_000 });
  const before = process.memoryUsage.rss();
  const output = await run({ command: "head -c 300000000 /dev/zero | tr '\\0' x; echo; echo end" }, host);
  expect(output.content.slice(-500)).toMatch(/\nend\n\d+ bytes of the output were not kept; its beginning is in /);
  expect(process.memoryUsage.rss() - before).toBeLessThan(150_000_000);
});

test("a line of 120,000 characters is clipped, and the file has it (A11)", async () => {
  using host = testTaskHost();
  const output = await run({ command: "printf 'x%.0s' $(seq 120000); echo needle" }, host);
  expect(output.content.length).toBeLessThan(2_500);
  const path = lastLine(output).replace("The output is in ", "");
  expect(readFileSync(path, "utf8")).toContain("xneedle\n");
});

test("a bar that is redrawn 5,000 times is shown in its last state (A12)", async () => {
  using host = testTaskHost();
  const output = await run({ command: "for i in $(seq 5000); do printf '\\r\\033[32m%d of 5000\\033[0m' $i; done; echo; echo finished" }, host);
  expect(output.content).toBe("5000 of 5000\nfinished");
});

test("cuts fall between characters (A09)", async () => {
  using host = testTaskHost();
  const output = await run({ command: "printf '─┃─┃─┃─┃─┃\\n%.0s' $(seq 10000)" }, host);
    const [, ...marked] = /(.)\n\[\.\.\. \d+ bytes of output left out \.\.\.\]\n(.)/u.exec(output.content) ?? [];
  expect(marked.join("")).toMatch(/^[─┃\n]{2}$/);
});

test("a line on stderr does not break a character on stdout (A08)", async () => {
  using host = testTaskHost();
  const output = await run({ command: "printf '\\xf0'; sleep 0.01; echo warning >&2; sleep 0.01; printf '\\x9f\\x98\\x80\\n'" }, host);
  expect(output.content.split("\n").toSorted()).toEqual(["warning", "😀"]);
});

test("what a command leaves running is named, with the way to stop it (A18)", async () => {
  using host = testTaskHost();
  const begin = performance.now();
  const output = await run({ command: "sleep 60 & echo ready" }, host);
  expect(performance.now() - begin).toBeLessThan(1_500);
  expect(output.content).toMatch(/^ready\nExit code 0; the shell has exited but left process \d+ running\. They go on as background task b[0-9a-z]{8}, .*TaskStop ends them$/);
  expect(output.isError).toBeUndefined();
  const stopped = await stopTask(output.content, host);
  expect(stopped.content).toContain("Stopped: task b");
  expect(host.ledger.listTasks({ all: true })).toMatchObject([{ status: "killed" }]);
});

test("a process in a session of its own goes on as a background task, which the result names (A19)", async () => {
  using host = testTaskHost();
  const output = await run({ command: "setsid sleep 2 & echo ok", timeout: 3_000 }, host);
  expect(output.content).toMatch(/^ok\nExit code 0; the shell has exited but left process \d+ running\. They go on as background task b/);
});

test("where processes cannot be marked, one that emptied its environment and holds the output is reported (A19)", async () => {
  using host = testTaskHost();
  const output = await run({ command: "env -i setsid sleep 2 & echo ok", timeout: 3_000 }, host);
  expect(output.content).toMatch(/^ok\nA process that hides where it came from still holds the output open\./);
});

test("in the background the id and the file come at once, and a notice is due at the end", async () => {
  using host = testTaskHost();
  const output = await run({ command: "while [ ! -e go ]; do sleep 0.02; done; echo done", run_in_background: true }, host);
  const [, id = "", path = ""] = /^Started in the background as task (b[0-9a-z]{8})\. Its output goes to (.*)$/.exec(output.content) ?? [];
  expect(host.getAppState().tasks[id]).toMatchObject({ status: "running", isBackgrounded: true });
  await run({ command: "touch go" }, host);
  await waitFor(() => host.getAppState().tasks[id]?.status === "completed");
  expect(readFileSync(path, "utf8")).toBe("done\n");
  expect(host.ledger.listTasks({ all: true }).find((task) => task.id === id)?.notified).toBe(false);
});

test("a background command has no time limit unless one is given", async () => {
  using host = testTaskHost();
  const output = await run({ command: "sleep 60", run_in_background: true, timeout: 100 }, host);
  const [id = ""] = /\bb[0-9a-z]{8}\b/.exec(output.content) ?? [];
  await waitFor(() => host.getAppState().tasks[id]?.exit?.reason === "timeout");
});

test("stopping the turn ends the command and all it started", async () => {
  using host = testTaskHost();
  const controller = new AbortController();
  const calling = run({ command: "touch begun; sleep 60 & sleep 60; echo never" }, host, { signal: controller.signal });
  await waitFor(() => existsSync(join(host.workspace, "begun")));
  controller.abort();
  expect(await calling).toEqual({ content: "Stopped on request", isError: true });
  const [task] = host.ledger.listTasks({ all: true });
  if (task === undefined) throw new Error("No task is on record");
  expect(host.ledger.getTask(task.id)).toMatchObject({ status: "killed", notified: true, detail: { interrupted: true } });
  expect(processesWithMark(`AGENT_TASK_ID=${task.id}`)).toEqual([]);
});

test("a turn that was stopped before the call runs nothing for long", async () => {
  using host = testTaskHost();
  expect((await run({ command: "sleep 60" }, host, { signal: AbortSignal.abort() })).isError).toBe(true);
});

test("no call changes the directory of the next, not even by removing it (A26)", async () => {
  using host = testTaskHost();
  await run({ command: "mkdir d && cd d" }, host);
  expect((await run({ command: "pwd; rmdir d" }, host)).content).toBe(host.workspace);
  expect((await run({ command: "pwd" }, host)).content).toBe(host.workspace);
});

test("a working directory that is gone is a clear error (A26)", async () => {
  using host = testTaskHost();
  const cwd = join(host.workspace, "worktree");
  mkdirSync(cwd);
  rmdirSync(cwd);
  const error = await appErrorOf(() => run({ command: "pwd" }, host, { cwd }));
  expect(error.message).toBe(`Cannot run a command in "${cwd}": there is no such directory any more`);
});

test("eight calls at once take the time of one", async () => {
  using host = testTaskHost();
  const begin = performance.now();
  await Promise.all(Array.from({ length: 8 }, () => run({ command: "sleep 0.5" }, host)));
  expect(performance.now() - begin).toBeLessThan(1_000);
});

const REPOSITORY = "git init -q repo && cd repo && git config user.email a@b && git config user.name n && git commit -q --allow-empty -m one && git commit -q --allow-empty -m two";

test.each([
  ["git commit without a message", `${REPOSITORY} && touch f && git add f && git commit`, /[Aa]borting commit|empty commit message/],
  ["git rebase -i", `${REPOSITORY} && git rebase -i --root`, /rebase|Success/],
  ["git log with a pager", `${REPOSITORY} && git -c core.pager=less log`, /two/],
  ["a password prompt", "sudo -k -u nobody true || echo went on", /./],
  ["a read from the terminal", "read -r x </dev/tty; echo status $?", /status 1/],
])("what would wait for somebody fails or goes on, with a terminal around us and without: %s (A24)", async (_name, command, expected) => {
  using host = testTaskHost();
  for (const hasTerminal of [true, false]) {
    const resultFile = join(host.workspace, `${hasTerminal}.json`);
    const cwd = join(host.workspace, String(hasTerminal));
    mkdirSync(cwd);
    const argv = [process.execPath, join(import.meta.dir, "../fixtures/run-bash-tool.ts"), command, resultFile, cwd];
    const child = hasTerminal
      ? Bun.spawn(argv, { terminal: { cols: 80, rows: 24 } })
      : Bun.spawn(["setsid", "-w", ...argv], { stdin: "ignore" });
    const begin = performance.now();
    expect(await child.exited).toBe(0);
    expect(performance.now() - begin).toBeLessThan(8_000);
    const result: { output: ToolOutput; hasTerminal: boolean } = JSON.parse(readFileSync(resultFile, "utf8"));
    expect(result.hasTerminal).toBe(hasTerminal);
    expect(result.output.content).toMatch(expected);
    expect(result.output.content).not.toContain("Killed after");
  }
}, 30_000);
