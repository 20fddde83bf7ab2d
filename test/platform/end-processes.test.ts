import { afterEach, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ProcessTrace } from "../../src/core/supervision.ts";
import type { ProcessIdentity } from "../../src/core/task-host.ts";
import { endProcesses } from "../../src/platform/end-processes.ts";
import { type ProcessEntry, readProcessTable } from "../../src/platform/process-table.ts";
import { type ProcessExit, spawnShell } from "../../src/platform/spawn-shell.ts";
import { isAlive, killMarked, processesWithMark, uniqueMark } from "../support/processes.ts";
import { tempDir } from "../support/temp-dir.ts";
import { waitFor } from "../support/wait-for.ts";

interface Started {
  readonly leaders: readonly [ProcessIdentity];
  readonly trace: ProcessTrace;
  readonly exited: Promise<ProcessExit>;
}

const OTHER_TRACE: ProcessTrace = { variable: "AGENT_TASK_ID=another" };

const marks: string[] = [];

afterEach(() => {
  for (const mark of marks.splice(0)) killMarked(mark);
});

/** Starts a script and waits until as many processes as expected are in its session. */
async function startSession(script: string, members: number): Promise<Started> {
  const mark = uniqueMark();
  marks.push(mark);
  const [name = "", value = ""] = mark.split("=");
  const shell = spawnShell({ argv: ["/bin/bash", "-c", script], cwd: "/", env: { PATH: process.env["PATH"] ?? "", [name]: value } });
  await waitFor(() => sessionMembers(shell.identity.pid).length >= members);
  return { leaders: [shell.identity], trace: { variable: mark }, exited: shell.exited };
}

function sessionMembers(pid: number): ProcessEntry[] {
  return readProcessTable().filter(({ session }) => session === pid);
}

test("everything in the session ends: children, grandchildren, and who left the group", async () => {
  const session = await startSession("set -m; sleep 60 & set +m; (sleep 61; :) & sleep 62; :", 5);
  const members = sessionMembers(session.leaders[0].pid);
  expect(await endProcesses(session)).toEqual([]);
  expect(members.filter(({ pid }) => isAlive(pid))).toEqual([]);
  expect(processesWithMark(session.trace.variable)).toEqual([]);
});

test("a process gets to clean up before it is killed (A23)", async () => {
  using dir = tempDir();
  const marker = join(dir.path, "cleaned");
  const session = await startSession(`trap 'touch ${marker}; exit 0' TERM; touch ${dir.path}/ready; while :; do sleep 0.02; done`, 1);
  await waitFor(() => existsSync(join(dir.path, "ready")));
  expect(await endProcesses(session)).toEqual([]);
  expect(existsSync(marker)).toBe(true);
});

test("who ignores SIGTERM is killed after the grace period and not before (V-230)", async () => {
  const session = await startSession("trap '' TERM; sleep 60; sleep 60", 2);
  const start = performance.now();
  expect(await endProcesses({ ...session, graceMs: 300 })).toEqual([]);
  expect(performance.now() - start).toBeGreaterThanOrEqual(300);
  expect(await session.exited).toEqual({ exitCode: null, signal: "SIGKILL" });
});

test("a stopped process ends, and politely (V-235)", async () => {
  const session = await startSession("trap 'exit 5' TERM; kill -STOP $$; sleep 60", 1);
  await waitFor(() => Bun.file(`/proc/${session.leaders[0].pid}/stat`).text().then((stat) => stat.includes(") T ")));
  const start = performance.now();
  expect(await endProcesses(session)).toEqual([]);
  expect(performance.now() - start).toBeLessThan(3_000);
});

test("a session that goes on forking ends (V-232)", async () => {
  const session = await startSession("trap '' TERM; for i in $(seq 400); do (trap '' TERM; sleep 60) & sleep 0.002; done; wait", 20);
  expect(await endProcesses({ ...session, graceMs: 50 })).toEqual([]);
  expect(processesWithMark(session.trace.variable)).toEqual([]);
});

test("members that outlive their leader are ended by their mark", async () => {
  const session = await startSession("sleep 60 & sleep 60 & exit 0", 1);
  await session.exited;
  await waitFor(() => sessionMembers(session.leaders[0].pid).length === 2);
  expect(await endProcesses(session)).toEqual([]);
  expect(processesWithMark(session.trace.variable)).toEqual([]);
});

test("a leaderless session without the mark is left alone", async () => {
  const session = await startSession("sleep 60 & exit 0", 1);
  await session.exited;
  const [member] = await waitFor(() => {
    const members = sessionMembers(session.leaders[0].pid);
    return members.length === 1 && members;
  });
  expect(await endProcesses({ ...session, trace: OTHER_TRACE })).toEqual([]);
  expect(isAlive(member?.pid ?? 0)).toBe(true);
});

test("a leader that is another process with the same pid is not signalled (V-233)", async () => {
  const session = await startSession("sleep 60; :", 2);
  const impostor = { ...session.leaders[0], startTime: "1" };
  expect(await endProcesses({ leaders: [impostor], trace: OTHER_TRACE })).toEqual([]);
  expect(isAlive(session.leaders[0].pid)).toBe(true);
});

test("members seen earlier prove a session whose environment was emptied", async () => {
  const session = await startSession("env -i sleep 60 & wait", 2);
  const known = sessionMembers(session.leaders[0].pid);
  process.kill(session.leaders[0].pid, "SIGKILL");
  await session.exited;
  expect(await endProcesses({ ...session, trace: OTHER_TRACE, known })).toEqual([]);
  expect(known.filter(({ pid }) => isAlive(pid))).toEqual([]);
});

test("who cannot be signalled is named", async () => {
  const session = await startSession("sleep 60; :", 2);
  const kill = () => {
    throw Object.assign(new Error("not permitted"), { code: "EPERM" });
  };
  let time = 0;
  const survivors = await endProcesses({ ...session, kill, now: () => (time += 1_000), sleep: () => Promise.resolve() });
  expect(survivors).toContain(session.leaders[0].pid);
});

test("a session that is over costs no wait", async () => {
  const session = await startSession("exit 0", 0);
  await session.exited;
  const start = performance.now();
  expect(await endProcesses(session)).toEqual([]);
  expect(performance.now() - start).toBeLessThan(1_000);
});
