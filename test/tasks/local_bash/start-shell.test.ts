import { afterEach, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { endTask } from "../../../src/engine/end-task.ts";
import { exitFor } from "../../../src/core/exit-code.ts";
import { stopTask } from "../../../src/engine/stop-task.ts";
import { localBashKind, type ShellTask, startShell, type StartShellOptions } from "../../../src/tasks/local_bash/index.ts";
import { isAlive, killMarked, processesWithMark } from "../../support/processes.ts";
import { taskId } from "../../support/sample-task.ts";
import { type TestTaskHost, testTaskHost } from "../../support/test-task-host.ts";
import { appErrorOf } from "../../support/thrown.ts";
import { waitFor } from "../../support/wait-for.ts";

const PARENT = taskId("a00000001");
const marks: string[] = [];

afterEach(() => {
  for (const mark of marks.splice(0)) killMarked(mark);
});

async function start(command: string, host: TestTaskHost, options: Partial<StartShellOptions> = {}): Promise<ShellTask> {
  const shell = await startShell({
    command,
    cwd: host.workspace,
    description: command,
    host,
    isBackgrounded: false,
    parentTaskId: PARENT,
    graceMs: 300,
    ...options,
  });
  marks.push(`AGENT_TASK_ID=${shell.id}`);
  return shell;
}

function stop(shell: ShellTask, host: TestTaskHost): ReturnType<typeof stopTask> {
  return stopTask(shell.id, host, { findKind: () => Promise.resolve(localBashKind), isSilent: true });
}

function shown(shell: ShellTask): string {
  const { head, tail } = shell.output();
  return Buffer.concat([head, tail]).toString();
}

test("a command in the foreground ends with its output, its code, and no notice", async () => {
  using host = testTaskHost();
  const shell = await start("echo out; echo err >&2; exit 3", host);
  expect(await shell.foreground).toMatchObject({ type: "ended", exit: { exitCode: 3, signal: null }, isOutputHeld: false });
  expect(shown(shell).split("\n").toSorted()).toEqual(["", "err", "out"]);
  expect(host.ledger.getTask(shell.id)).toMatchObject({
    status: "failed",
    exit: { code: 1, reason: "failed" },
    error: "Exit code 3",
    notified: true,
    isBackgrounded: false,
    cwd: host.workspace,
    detail: { command: "echo out; echo err >&2; exit 3", exitCode: 3, signal: null, timedOut: false, interrupted: false, bytesWritten: 8, bytesDropped: 0 },
  });
  expect(host.ledger.pendingNotifications(PARENT)).toEqual([]);
  expect(readFileSync(shell.outputFile, "utf8")).toHaveLength(8);
});

test("a program runs without a shell where it is given as arguments", async () => {
  using host = testTaskHost();
  const shell = await start("printf …", host, { argv: ["printf", "%s.", "$HOME", "a b"] });
  expect((await shell.ended).status).toBe("completed");
  expect(shown(shell)).toBe("$HOME.a b.");
});

test("the processes of a task carry its marks, and start in its directory", async () => {
  using host = testTaskHost();
  const shell = await start('echo "$AGENT_RUN_ID $AGENT_TASK_ID $AGENT_PARENT_TASK_ID $PWD"', host);
  await shell.ended;
  expect(shown(shell)).toBe(`run-1 ${shell.id} ${PARENT} ${host.workspace}\n`);
});

test("the shell is in the ledger as a process while it runs", async () => {
  using host = testTaskHost();
  const shell = await start("sleep 60", host);
  const [process] = await waitFor(() => {
    const processes = host.ledger.processesOf("run-1");
    return processes.length > 0 && processes;
  });
  expect(isAlive(process?.pid ?? 0)).toBe(true);
  await stop(shell, host);
  expect(isAlive(process?.pid ?? 0)).toBe(false);
});

test("output reaches the file and the watcher while the command runs (S-196)", async () => {
  using host = testTaskHost();
  const seen: string[] = [];
  const shell = await start("echo first; sleep 60", host, { onChunk: (bytes) => void seen.push(Buffer.from(bytes).toString()) });
  await waitFor(() => seen.join("") === "first\n", { timeoutMs: 2_000 });
  expect(readFileSync(shell.outputFile, "utf8")).toBe("first\n");
  await stop(shell, host);
});

test("a program that cannot be started leaves a failed record and says why", async () => {
  using host = testTaskHost();
  const error = await appErrorOf(() => start("nosuch", host, { argv: ["/no/such/program"] }));
  expect(error.code).toBe("spawn_failed");
  expect(host.ledger.listTasks({ all: true })).toMatchObject([{ status: "failed", error: error.message }]);
});

test("a working directory that is gone is a clear error (A26)", async () => {
  using host = testTaskHost();
  const error = await appErrorOf(() => start("pwd", host, { cwd: join(host.workspace, "gone") }));
  expect(error).toMatchObject({ reason: "not_found", code: "cwd_gone" });
});

test("completed is said of a real exit 0 alone: killed from outside, stopped with exit 0, timed out (A22)", async () => {
  using host = testTaskHost();
  const killed = await start("kill -KILL $$", host, { isBackgrounded: true });
  expect(await killed.ended).toMatchObject({ status: "failed", exit: { code: 1 }, error: "Ended by signal SIGKILL", detail: { exitCode: null, signal: "SIGKILL" } });

  const polite = await start("trap 'exit 0' TERM; touch ready; while :; do sleep 0.02; done", host, { isBackgrounded: true });
  await waitFor(() => existsSync(join(host.workspace, "ready")));
  await stop(polite, host);
  expect(await polite.ended).toMatchObject({ status: "killed", exit: { code: 137 }, detail: { exitCode: 0, interrupted: true } });

  const slow = await start("trap 'exit 0' TERM; while :; do sleep 0.02; done", host, { isBackgrounded: true, timeoutMs: 100 });
  expect(await slow.ended).toMatchObject({
    status: "failed",
    exit: { code: 124, reason: "timeout" },
    error: "Killed after 0.1 s, its time limit",
    detail: { timedOut: true },
  });
  expect(host.ledger.pendingNotifications(PARENT).map(({ taskId: id }) => id).toSorted()).toEqual([killed.id, slow.id].toSorted());
});

test("a program that was killed below the shell is named by its signal", async () => {
  using host = testTaskHost();
  const shell = await start("sh -c 'kill -TERM $$'; exit $?", host);
  expect((await shell.ended).error).toBe("Exit code 143 (SIGTERM)");
});

test.each([
  ["plain", "sleep 60"],
  ["piped", "sleep 60 | cat"],
  ["with an exit behind it", "sleep 60; exit 0"],
  ["in a subshell", "(sleep 60)"],
  ["behind a cd", "cd / && sleep 60"],
  ["with children that ignore the polite signal", "trap '' TERM; sleep 60 & sleep 60 & wait"],
])("a time limit ends everything, however the command is spelled: %s (A21)", async (_name, command) => {
  using host = testTaskHost();
  const shell = await start(command, host, { timeoutMs: 100 });
  expect(await shell.foreground).toMatchObject({ type: "ended", task: { status: "failed", exit: { reason: "timeout" } } });
  expect(processesWithMark(`AGENT_TASK_ID=${shell.id}`)).toEqual([]);
});

test("a command that ignores the polite signal ends after the grace period (S-197)", async () => {
  using host = testTaskHost();
  const shell = await start("trap '' TERM; touch ready; while :; do sleep 0.02; done", host, { isBackgrounded: true });
  await waitFor(() => existsSync(join(host.workspace, "ready")));
  const begin = performance.now();
  await stop(shell, host);
  expect(performance.now() - begin).toBeWithin(300, 2_000);
  expect((await shell.ended).detail["signal"]).toBe("SIGKILL");
});

test.each([
  ["a silent child that holds the output", "sleep 60 & echo ready"],
  ["a child with its output redirected away", "sleep 60 >/dev/null 2>&1 & echo ready"],
  ["a chatty child", "while :; do echo tick; sleep 0.05; done & echo ready"],
  ["a child behind nohup and disown", "nohup sleep 60 2>/dev/null & disown; echo ready"],
])("the foreground returns soon after the shell's exit, and what it left is a background task: %s (A18)", async (_name, command) => {
  using host = testTaskHost();
  const shell = await start(command, host);
  await shell.shellExited;
  const begin = performance.now();
  const outcome = await shell.foreground;
  expect(performance.now() - begin).toBeLessThan(1_000);
  expect(outcome).toMatchObject({ type: "lingering", exit: { exitCode: 0 } });
  expect(shown(shell)).toContain("ready\n");
  expect(host.ledger.getTask(shell.id)).toMatchObject({ status: "running", isBackgrounded: true });
  await stop(shell, host);
  expect(processesWithMark(`AGENT_TASK_ID=${shell.id}`)).toEqual([]);
  expect((await shell.ended).status).toBe("killed");
});

test("what the shell left is notified when it ends, with the shell's own code", async () => {
  using host = testTaskHost();
  const shell = await start("while [ ! -e go ]; do sleep 0.02; done & exit 4", host);
  expect(await shell.foreground).toMatchObject({ type: "lingering", exit: { exitCode: 4 } });
  writeFileSync(join(host.workspace, "go"), "");
  expect(await shell.ended).toMatchObject({ status: "failed", error: "Exit code 4" });
  expect(host.ledger.pendingNotifications(PARENT)).toMatchObject([{ taskId: shell.id }]);
});

test("the time limit of a foreground call does not end what it left in the background", async () => {
  using host = testTaskHost();
  const shell = await start("sleep 0.5 & exit 0", host, { timeoutMs: 300 });
  expect((await shell.foreground).type).toBe("lingering");
  expect(await shell.ended).toMatchObject({ status: "completed" });
});

test("who left the session and holds the output does not keep the call, and can be stopped (A19)", async () => {
  using host = testTaskHost();
  const shell = await start("setsid sleep 60 & echo ok", host);
  await shell.shellExited;
  const begin = performance.now();
  expect(await shell.foreground).toMatchObject({ type: "lingering", exit: { exitCode: 0 } });
  expect(performance.now() - begin).toBeLessThan(1_000);
  expect(shown(shell)).toBe("ok\n");
  await stop(shell, host);
  expect(processesWithMark(`AGENT_TASK_ID=${shell.id}`)).toEqual([]);
});

test("a time limit ends who left the session too (A19)", async () => {
  using host = testTaskHost();
  const shell = await start("setsid sleep 60 & sleep 60", host, { timeoutMs: 200 });
  expect(await shell.foreground).toMatchObject({ type: "ended", task: { exit: { reason: "timeout" } }, isOutputHeld: false });
  expect(processesWithMark(`AGENT_TASK_ID=${shell.id}`)).toEqual([]);
});

test("where processes cannot be marked, a time limit fires although one holds the output that cannot be told (A19)", async () => {
  using host = testTaskHost();
  const shell = await start("(env -i setsid sleep 2 &); sleep 60", host, { timeoutMs: 200 });
  expect(await shell.foreground).toMatchObject({ type: "ended", task: { exit: { reason: "timeout" } }, isOutputHeld: true });
});

test("a short-lived helper of the shell makes no background task", async () => {
  using host = testTaskHost();
  const shell = await start("echo data > >(sleep 0.03; cat)", host);
  expect(await shell.foreground).toMatchObject({ type: "ended", task: { status: "completed" } });
  expect(shown(shell)).toBe("data\n");
});

test("a call that goes to the background is notified at its end", async () => {
  using host = testTaskHost();
  const shell = await start("while [ ! -e go ]; do sleep 0.02; done", host);
  await shell.background();
  expect(host.ledger.getTask(shell.id)?.isBackgrounded).toBe(true);
  expect(host.getAppState().tasks[shell.id]?.isBackgrounded).toBe(true);
  writeFileSync(join(host.workspace, "go"), "");
  await shell.ended;
  expect(host.ledger.pendingNotifications(PARENT)).toMatchObject([{ taskId: shell.id }]);
});

test("a full disk ends the task with the reason, and its processes (A22)", async () => {
  const write = () => {
    throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
  };
  using host = testTaskHost({ write });
  const shell = await start("echo lost; sleep 60", host, { isBackgrounded: true });
  expect(await shell.ended).toMatchObject({ status: "failed", exit: { code: 14, reason: "storage" }, detail: { bytesWritten: 0, bytesDropped: 5 } });
  expect((await shell.ended).error).toContain("the disk is full");
  expect(processesWithMark(`AGENT_TASK_ID=${shell.id}`)).toEqual([]);
});

test("on a full disk an agent that waits for a command gets its output from memory, and is told (A07)", async () => {
  const write = () => {
    throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
  };
  using host = testTaskHost({ write });
  const shell = await start("echo shown; exit 3", host);
  expect(await shell.ended).toMatchObject({ status: "failed", error: "Exit code 3", detail: { bytesWritten: 0, bytesDropped: 6 } });
  expect(shown(shell)).toBe("shown\n");
  expect(shell.outputFailure()?.message).toBe(`Cannot write the output of task "${shell.id}": the disk is full (ENOSPC)`);
});

test("past the limit of the output file the command goes on, and the caller sees its end (A13)", async () => {
  using host = testTaskHost({ outputBytesMax: 1_000 });
  const shell = await start("head -c 12000000 /dev/zero | tr '\\0' x; echo; echo FAILED: reason; exit 3", host);
  expect(await shell.ended).toMatchObject({ status: "failed", error: "Exit code 3", detail: { bytesDropped: 12_000_016 - shell.bytesWritten() } });
  expect(host.events.filter((event) => event.type === "output.truncated")).toEqual([
    {
      type: "output.truncated",
      scope: "task",
      task_id: shell.id,
      parent_task_id: "a00000001",
      output_file: shell.outputFile,
      bytes_kept: shell.bytesWritten(),
      bytes_dropped: 12_000_016 - shell.bytesWritten(),
    },
  ]);
  expect(shell.bytesWritten()).toBeLessThanOrEqual(1_000);
  const { tail, totalBytes, droppedBytes, head } = shell.output();
  expect(Buffer.from(tail).toString()).toEndWith("x\nFAILED: reason\n");
  expect([totalBytes, droppedBytes]).toEqual([12_000_016, 12_000_016 - head.length - tail.length]);
});

test("a task that ended while it was being stopped keeps its own ending", async () => {
  using host = testTaskHost();
  const shell = await start("exit 0", host, { isBackgrounded: true });
  await shell.ended;
  await host.getAppState().effects.get(shell.id)?.stop();
  expect(await endTask(shell.id, { status: "killed", exit: exitFor("killed") }, host, { isSilent: true })).toBeUndefined();
  expect(host.ledger.getTask(shell.id)?.status).toBe("completed");
});

test("two hundred shells at once all end with their own output", async () => {
  using host = testTaskHost();
  const shells = await Promise.all(Array.from({ length: 200 }, (_, index) => start(`sleep 0.1; echo ${index}`, host, { isBackgrounded: true })));
  const ended = await Promise.all(shells.map((shell) => shell.ended));
  expect(ended.filter(({ status }) => status === "completed")).toHaveLength(200);
  expect(shells.map(({ outputFile }) => readFileSync(outputFile, "utf8"))).toEqual(shells.map((_, index) => `${index}\n`));
  expect(host.ledger.pendingNotifications(PARENT)).toHaveLength(200);
});

test("a shell that is a run of its own waits for what it left", async () => {
  using host = testTaskHost();
  const shell = await startShell({ command: "sleep 0.3 & exit 0", cwd: host.workspace, description: "root", host, isBackgrounded: false });
  expect(await shell.foreground).toMatchObject({ type: "ended", task: { status: "completed", isBackgrounded: false } });
});
