import { afterEach, expect, test } from "bun:test";
import type { Adopter, ProcessTrace } from "../../src/core/supervision.ts";
import { findProcesses } from "../../src/platform/find-processes.ts";
import { identifyProcess } from "../../src/platform/process-identity.ts";
import { newRunMark } from "../../src/platform/process-mark.ts";
import { waitFor } from "../support/wait-for.ts";

const NOTHING: ProcessTrace = { variable: "AGENT_TASK_ID=nothing" };
const started: Bun.Subprocess[] = [];

afterEach(async () => {
  for (const child of started.splice(0)) {
    child.kill("SIGKILL");
    await child.exited;
  }
});

/** Starts a program that sleeps, as one with the mark would be, and waits until it does. */
async function sleeper(options: { readonly mark?: string; readonly env?: Record<string, string>; readonly below?: boolean } = {}): Promise<{ readonly pid: number; readonly child: number }> {
  const setMark = options.mark === undefined ? "" : `ulimit -S -R ${options.mark};`;
  const script = options.below === true ? "ulimit -S -R unlimited; env -i sleep 60 & wait" : "exec sleep 60";
  const child = Bun.spawn(["bash", "-c", `${setMark} ${script}`], { env: { PATH: process.env["PATH"] ?? "", ...options.env }, detached: true });
  started.push(child);
  const children = () => Bun.spawnSync(["pgrep", options.below === true ? "-P" : "-s", String(child.pid)]).stdout.toString().trim();
  await waitFor(() => children() !== "" && Bun.spawnSync(["ps", "-o", "args=", "-p", children()]).stdout.toString().startsWith("sleep 60"));
  return { pid: child.pid, child: Number(children()) };
}

function pidsOf(...args: Parameters<typeof findProcesses>): number[] {
  return findProcesses(...args)
    .entries.map(({ pid }) => pid)
    .toSorted((one, other) => one - other);
}

test("processes are found by their mark and by their environment, and no others", async () => {
  const run = newRunMark("attached");
  const marked = await sleeper({ mark: `${run}000001` });
  const named = await sleeper({ env: { AGENT_RUN_ID: run } });
  const other = await sleeper({ mark: `${run}000002` });
  await sleeper({ mark: `${newRunMark("attached")}000001`, env: { AGENT_RUN_ID: `${run}0` } });
  const ofTask = { variable: "AGENT_RUN_ID=none", mark: `${run}000001` };
  expect(pidsOf({ trace: ofTask, leaders: [] })).toEqual([marked.pid]);
  const ofRun = { variable: `AGENT_RUN_ID=${run}`, mark: run };
  expect(pidsOf({ trace: ofRun, leaders: [] })).toEqual([marked.pid, named.pid, other.pid]);
});

test("what a process has started belongs to it although it shows no trace of its own", async () => {
  const run = newRunMark("attached");
  const parent = await sleeper({ env: { AGENT_RUN_ID: run }, below: true });
  expect(pidsOf({ trace: { variable: `AGENT_RUN_ID=${run}` }, leaders: [] })).toEqual([parent.pid, parent.child]);
});

test("a run that was handed over goes on, though it was started by a process that is found", async () => {
  const [run, detached] = [newRunMark("attached"), newRunMark("detached")];
  const parent = Bun.spawn(["bash", "-c", `AGENT_TASK_ID= bash -c 'ulimit -S -R ${detached}000000; exec env -i sleep 61' & wait`], { env: { PATH: process.env["PATH"], AGENT_RUN_ID: run } });
  started.push(parent);
  const child = await waitFor(() => Number(Bun.spawnSync(["pgrep", "-P", String(parent.pid), "-f", "^sleep 61$"]).stdout.toString()) || undefined);
  expect(pidsOf({ trace: { variable: `AGENT_RUN_ID=${run}`, mark: run }, leaders: [] })).toEqual([parent.pid]);
  process.kill(child, "SIGKILL");
});

test("a session is its leader's while that lives, and of nobody who only has the number", async () => {
  const { pid } = await sleeper();
  const leader = identifyProcess(pid);
  if (leader === undefined) throw new Error("It has ended");
  expect(pidsOf({ trace: NOTHING, leaders: [leader] })).toEqual([pid]);
  expect(pidsOf({ trace: NOTHING, leaders: [{ ...leader, startTime: "1" }] })).toEqual([]);
});

test("one that was seen earlier is found again, and not another one with its number", async () => {
  const { pid } = await sleeper();
  const { startTime = "" } = identifyProcess(pid) ?? {};
  const entry = { pid, parent: process.pid, session: pid, startTime };
  expect(pidsOf({ trace: NOTHING, leaders: [] }, [entry])).toEqual([pid]);
  expect(pidsOf({ trace: NOTHING, leaders: [] }, [{ ...entry, startTime: "1" }])).toEqual([]);
});

test("with an adopter nothing outside its descent is looked at, and what it has adopted counts", async () => {
  const run = newRunMark("attached");
  const trace = { variable: `AGENT_RUN_ID=${run}`, mark: run };
  const { pid } = await sleeper({ mark: `${run}000001` });
  const orphan = await sleeper();
  const adopter = (changes: Partial<Adopter>): Adopter => ({ pid: process.pid, adopted: () => ({ pids: [], isSettled: true }), ...changes });
  expect(pidsOf({ trace, leaders: [], adopter: adopter({}) })).toEqual([pid]);
  expect(pidsOf({ trace, leaders: [], adopter: adopter({ pid: orphan.pid }) })).toEqual([]);
  expect(pidsOf({ trace, leaders: [], adopter: adopter({ adopted: () => ({ pids: [orphan.pid], isSettled: true }) }) })).toEqual([pid, orphan.pid]);
});

test("a look is not settled when an adopted process ends during it", () => {
  const adopted = { pids: [2 ** 22 + 1], isSettled: true };
  expect(findProcesses({ trace: NOTHING, leaders: [], adopter: { pid: process.pid, adopted: () => adopted } })).toEqual({ entries: [], isSettled: false });
});
