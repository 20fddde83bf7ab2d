import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { endLeftProcesses } from "../../src/engine/end-left-processes.ts";
import { runMark } from "../../src/engine/task-mark.ts";
import { exitFor } from "../../src/core/exit-code.ts";
import { currentProcess } from "../../src/platform/process-identity.ts";
import { newRunMark } from "../../src/platform/process-mark.ts";
import { type SpawnedShell, spawnShell } from "../../src/platform/spawn-shell.ts";
import { openLedger } from "../../src/store/ledger.ts";
import { isAlive, killMarked } from "../support/processes.ts";
import { sampleRun, sampleTask, taskId } from "../support/sample-task.ts";
import { testState } from "../support/test-state.ts";
import { waitFor } from "../support/wait-for.ts";

const ROOT = taskId("a00000000");

/** A run on record with one shell, whose processes are ended at the end of the scope at the latest. */
async function runWithShell() {
  const state = testState();
  const ledger = openLedger(state.directory);
  const runId = crypto.randomUUID();
  const id = taskId("b00000000");
  const row = sampleRun({ runId, rootTaskId: ROOT, owner: currentProcess(), processMark: newRunMark("attached") });
  await ledger.insertRun(row, sampleTask({ id: ROOT, type: "local_agent", runId }), { durable: false });
  await ledger.insertTask(sampleTask({ id, runId, parentTaskId: ROOT }), { durable: false });
  return {
    ledger,
    id,
    runId,
    row,
    start: (script: string) => startMarked({ AGENT_TASK_ID: id, AGENT_RUN_ID: runId }, script),
    [Symbol.dispose]() {
      killMarked(runMark(runId));
      ledger.close();
      state[Symbol.dispose]();
    },
  };
}

/** The script says the pid that is of interest. */
async function startMarked(marks: Record<string, string>, script: string): Promise<{ readonly shell: SpawnedShell; readonly pid: number }> {
  const shell = spawnShell({ argv: ["/bin/bash", "-c", script], cwd: "/", env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", ...marks } });
  return { shell, pid: Number(Buffer.from((await shell.stdout.read()) ?? []).toString()) };
}

test("a process is ended although its owner died before it was on record", async () => {
  using run = await runWithShell();
  const { pid } = await run.start("trap '' TERM; echo $$; while :; do sleep 0.05; done");
  expect(await endLeftProcesses(run.row, run.ledger)).toEqual([]);
  await waitFor(() => !isAlive(pid));
});

test("what a shell that has ended left in a process group of its own is ended, so is what it forgot to wait for", async () => {
  using run = await runWithShell();
  const { shell, pid } = await run.start("set -m; sleep 300 </dev/null >/dev/null 2>&1 & echo $!");
  await run.ledger.addProcess(run.id, 1, shell.identity);
  await shell.exited;
  await run.ledger.endTask(run.id, 1, { status: "completed", exit: exitFor("ok") }, { endTime: 2_000, durable: false });
  expect(isAlive(pid)).toBe(true);
  expect(await endLeftProcesses(run.row, run.ledger)).toEqual([]);
  await waitFor(() => !isAlive(pid));
});

test("what made itself a session of its own is ended too, and the processes of other runs are left alone", async () => {
  using run = await runWithShell();
  using other = await runWithShell();
  const { shell, pid } = await run.start("setsid sleep 300 </dev/null >/dev/null 2>&1 & echo $!");
  await run.ledger.addProcess(run.id, 1, shell.identity);
  await shell.exited;
  const stranger = await other.start("echo $$; exec sleep 300");
  for (const each of [pid, stranger.pid]) await waitFor(() => readFileSync(`/proc/${each}/comm`, "utf8") === "sleep\n");
  expect(await endLeftProcesses(run.row, run.ledger)).toEqual([]);
  await waitFor(() => !isAlive(pid));
  expect(isAlive(stranger.pid)).toBe(true);
});

test("what emptied its environment is found by the mark on record", async () => {
  using run = await runWithShell();
  const { pid } = await run.start(`ulimit -S -R ${run.row.processMark}000001; env -i setsid sh -c 'echo $$; exec sleep 300' & wait`);
  expect(await endLeftProcesses(run.row, run.ledger)).toEqual([]);
  await waitFor(() => !isAlive(pid));
});

test("nothing of a run of an earlier boot is looked for", async () => {
  using run = await runWithShell();
  const { pid } = await run.start("echo $$; exec sleep 300");
  expect(await endLeftProcesses({ ...run.row, owner: { ...run.row.owner, bootId: "earlier" } }, run.ledger)).toEqual([]);
  expect(isAlive(pid)).toBe(true);
});
