import { expect, test } from "bun:test";
import { openLedger, type Ledger } from "../../src/store/ledger.ts";
import { sampleRun, sampleTask, taskId } from "../support/sample-task.ts";
import { testState } from "../support/test-state.ts";

const [ROOT, OTHER, SHELL, LATER] = [taskId("a0000aaaa"), taskId("a0000bbbb"), taskId("b0000cccc"), taskId("b0000dddd")] as const;

async function meaning(...texts: readonly string[]): Promise<string[][]> {
  return await look((ledger) => texts.map((text) => ledger.resolveReference(text)));
}

async function look<Value>(ask: (ledger: Ledger) => Value): Promise<Value> {
  using state = testState();
  const ledger = openLedger(state.directory);
  await ledger.insertRun(sampleRun({ runId: "0199-run-one", rootTaskId: ROOT, sessionId: "session-one" }), sampleTask({ id: ROOT, runId: "0199-run-one" }), { durable: false });
  await ledger.insertRun(sampleRun({ runId: "0199-run-two", rootTaskId: OTHER, sessionId: "session-two" }), sampleTask({ id: OTHER, runId: "0199-run-two" }), { durable: false });
  await ledger.insertTask(sampleTask({ id: SHELL, name: "build", startTime: 1, status: "completed" }), { durable: false });
  await ledger.insertTask(sampleTask({ id: LATER, name: "build", startTime: 2 }), { durable: false });
  await ledger.insertTask(sampleTask({ id: LATER, attempt: 2, name: "b0000cccc", startTime: 3 }), { durable: false });
  const answer = ask(ledger);
  ledger.close();
  return answer;
}

test("ids of tasks, runs and sessions name their task", async () => {
  expect(await meaning(SHELL, "0199-run-two", "session-one")).toEqual([[SHELL], [OTHER], [ROOT]]);
});

test("a name means its newest bearer, and an id comes before a name", async () => {
  expect(await meaning("build", "b0000cccc")).toEqual([[LATER], [SHELL]]);
});

test("the beginning of an id means every task that it fits", async () => {
  expect(await meaning("b0000c", "0199-run-o", "b0000", "0199")).toEqual([[SHELL], [ROOT], [SHELL, LATER], [ROOT, OTHER]]);
});

test("fewer than four characters are no beginning", async () => {
  expect(await meaning("b00", "a", "")).toEqual([[], [], []]);
});

test("hostile text means nothing", async () => {
  const texts = ["b____cccc", "b0000%", "%%%%", "../../etc", "b0000cccc\0", "B0000CCCC", "x".repeat(4_096), "' OR 1=1 --", "\udbff\udfff\udbff\udfff"];
  expect(await meaning(...texts)).toEqual(texts.map(() => []));
});

test("the same texts name runs: a task and a session their latest one", async () => {
  const runs = await look((ledger) => [OTHER, "0199-run-one", "session-two", "build", "a0000b", "0199-run-o", "0199", "b0000", "nope"].map((text) => ledger.resolveRunReference(text)));
  expect(runs).toEqual([["0199-run-two"], ["0199-run-one"], ["0199-run-two"], ["run-1"], ["0199-run-two"], ["0199-run-one"], ["0199-run-one", "0199-run-two"], ["run-1"], []]);
});

test("the latest run is the one that began last", async () => {
  expect(await look((ledger) => ledger.latestRunId())).toBe("0199-run-two");
});
