import { expect, test } from "bun:test";
import { openTaskStore } from "../../src/runtime/open-task-store.ts";
import { waitForTasks } from "../../src/runtime/wait-for-tasks.ts";
import { commandState } from "../support/command-state.ts";
import { appErrorOf } from "../support/thrown.ts";

async function storeOf(path: string) {
  const store = await openTaskStore({ env: { AGENT_STATE_DIR: path }, onWarning: (text) => expect(text).toBe("") });
  if (store === undefined) throw new Error("Expected a state");
  return { store, [Symbol.dispose]: () => store.close() };
}

test("a task that is removed meanwhile ends the wait", async () => {
  using state = commandState();
  const task = await state.add("b00000001");
  using opened = await storeOf(state.path);
  const waiting = waitForTasks({ store: opened.store, ids: [task.id], until: "all" });
  await state.end("b00000001", "ok");
  await state.ledger.deleteTask(task.id);
  expect(await appErrorOf(() => waiting)).toMatchObject({ reason: "not_found", message: 'Cannot wait for task "b00000001": it was removed' });
});

test("without a limit there is none, and with any one of the ended tasks come back in the order asked for", async () => {
  using state = commandState();
  const tasks = [await state.add("b00000001"), await state.add("b00000002"), await state.add("b00000003")];
  using opened = await storeOf(state.path);
  const waiting = waitForTasks({ store: opened.store, ids: tasks.map((task) => task.id), until: "any" });
  await state.end("b00000003", "ok");
  await state.end("b00000002", "ok");
  expect((await waiting).map((task) => task.id)).toEqual(tasks.slice(1).map((task) => task.id));
});
