import { expect, test } from "bun:test";
import { existsSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commandState } from "../../support/command-state.ts";
import { isAlive } from "../../support/processes.ts";
import { startRunOwner } from "../../support/run-owner.ts";
import { taskId } from "../../support/sample-task.ts";
import { waitFor } from "../../support/wait-for.ts";

test("an ended task is gone: its record, its output, and its run's lock", async () => {
  using state = commandState();
  const task = await state.add("b00000001");
  state.output("b00000001", "text");
  await state.end("b00000001", "ok");
  expect(await state.run("rm", "b00000001")).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(state.ledger.getTask(task.id)).toBeUndefined();
  expect(readdirSync(join(state.path, "tasks"))).toEqual([]);
  expect(readdirSync(join(state.path, "owners"))).toEqual([]);
  expect(await state.run("rm", "b00000001")).toMatchObject({ code: 7 });
});

test("a running task is 8 and stays; --force stops it first", async () => {
  using state = commandState();
  await using owner = await startRunOwner(state.path);
  expect(await state.run("rm", "b00000000")).toEqual({ code: 8, stdout: "", stderr: 'agent: Cannot remove task "b00000000": it is running; --force stops it first\n' });
  expect(isAlive(owner.shellPid)).toBe(true);
  expect(await state.run("rm", "--force", "b00000000")).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(state.ledger.getTask(taskId("b00000000"))).toBeUndefined();
  await waitFor(() => !isAlive(owner.shellPid));
});

test("the files of a session go with its last task", async () => {
  using state = commandState();
  const agent = await state.add("a00000001", { type: "local_agent" });
  state.transcript(agent);
  await state.add("b00000002", { parentTaskId: agent.id });
  await state.end("a00000001", "ok");
  await state.end("b00000002", "ok");
  const session = join(state.path, "sessions", "session-1");
  expect((await state.run("rm", "a00000001")).code).toBe(0);
  expect(existsSync(session)).toBe(true);
  expect((await state.run("rm", "b00000002")).code).toBe(0);
  expect(existsSync(session)).toBe(false);
});

test("the output of an agent is a link, and what a link leads to is never touched", async () => {
  using state = commandState();
  const victim = join(state.path, "victim");
  writeFileSync(victim, "keep me");
  await state.add("b00000001", { sessionId: "session-x" });
  symlinkSync(victim, join(state.path, "tasks", "b00000001.output"));
  symlinkSync(state.path, join(state.path, "sessions", "session-x"));
  await state.end("b00000001", "ok");
  expect((await state.run("rm", "b00000001")).code).toBe(0);
  expect(existsSync(victim)).toBe(true);
  expect(existsSync(join(state.path, "ledger.db"))).toBe(true);
  expect(readdirSync(join(state.path, "sessions"))).toEqual([]);
});

test("files that are missing already are fine, and all are tried", async () => {
  using state = commandState();
  for (const id of ["b00000001", "b00000002"]) {
    await state.add(id);
    await state.end(id, "ok");
  }
  expect(await state.run("rm", "b00000001", "nope", "b00000002")).toMatchObject({ code: 7 });
  expect(state.ledger.listTasks({ all: true })).toEqual([]);
});
