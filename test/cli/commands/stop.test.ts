import { expect, test } from "bun:test";
import { taskId } from "../../support/sample-task.ts";
import { commandState } from "../../support/command-state.ts";
import { isAlive } from "../../support/processes.ts";
import { startRunOwner } from "../../support/run-owner.ts";
import { waitFor } from "../../support/wait-for.ts";

test("a task is stopped by its owner, silently; with -v its id is printed", async () => {
  using state = commandState();
  await using owner = await startRunOwner(state.path);
  expect(await state.run("stop", "b00000000")).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(state.ledger.getTask(taskId("b00000000"))?.status).toBe("killed");
  expect(state.ledger.getTask(taskId("a00000000"))?.status).toBe("running");
  await waitFor(() => !isAlive(owner.shellPid));
  expect(await state.run("stop", "-v", "a00000000")).toEqual({ code: 0, stdout: "a00000000\n", stderr: "" });
});

test("what has ended is 8, with --if-running 0; what nobody knows is 7", async () => {
  using state = commandState();
  await state.add("b00000001");
  await state.end("b00000001", "ok");
  expect(await state.run("stop", "b00000001")).toEqual({ code: 8, stdout: "", stderr: 'agent: Cannot stop task "b00000001": it is completed\n' });
  expect(await state.run("stop", "--if-running", "-v", "b00000001")).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(await state.run("stop", "nope")).toMatchObject({ code: 7, stdout: "" });
});

test("all are tried, and the first failure decides", async () => {
  using state = commandState();
  await using _owner = await startRunOwner(state.path);
  await state.add("b00000001");
  await state.end("b00000001", "ok");
  const outcome = await state.run("stop", "-v", "nope", "b00000001", "b00000000");
  expect(outcome).toMatchObject({ code: 7, stdout: "b00000000\n" });
  expect(outcome.stderr.trimEnd().split("\n")).toHaveLength(2);
});

test("a task that goes down with its parent in the same call is no failure", async () => {
  using state = commandState();
  await using _owner = await startRunOwner(state.path);
  expect(await state.run("stop", "a00000000", "b00000000")).toEqual({ code: 0, stdout: "", stderr: "" });
});

test("--all stops everything in the background, and nothing to stop is fine", async () => {
  using state = commandState();
  await using _owner = await startRunOwner(state.path);
  expect(await state.run("stop", "--all", "-v")).toEqual({ code: 0, stdout: "a00000000\n", stderr: "" });
  expect(state.ledger.listTasks({ all: false })).toEqual([]);
  expect(await state.run("stop", "--all", "-v")).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(await state.run("stop", "--all", "b00000000")).toMatchObject({ code: 2 });
});

test("a task whose owner is dead is reaped and 8", async () => {
  using state = commandState();
  await using owner = await startRunOwner(state.path);
  await owner.kill();
  const outcome = await state.run("stop", "a00000000");
  expect(outcome).toEqual({ code: 8, stdout: "", stderr: 'agent: Cannot stop task "a00000000": the process that ran it is gone\n' });
  expect(state.ledger.getTask(taskId("a00000000"))?.exit?.reason).toBe("owner_lost");
});

test("an owner that is halted by a signal is said to be, at once, and --force ends it with all its tasks", async () => {
  using state = commandState();
  await using owner = await startRunOwner(state.path);
  owner.signal("SIGSTOP");
  await waitFor(async () => (await Bun.file(`/proc/${owner.pid}/stat`).text()).includes(") T "));
  const outcome = await state.run("stop", "b00000000");
  expect(outcome).toMatchObject({ code: 8, stdout: "" });
  expect(outcome.stderr).toContain(`the process of its run, ${owner.pid}, was halted by a signal; "agent stop --force b00000000" ends`);
  expect(state.ledger.getTask(taskId("b00000000"))?.status).toBe("running");

  expect(await state.run("stop", "--force", "b00000000")).toEqual({ code: 0, stdout: "", stderr: "" });
  await waitFor(() => !isAlive(owner.pid) && !isAlive(owner.shellPid));
  for (const id of ["a00000000", "b00000000"]) expect(state.ledger.getTask(taskId(id))).toMatchObject({ status: "killed", exit: { code: 137 } });
});

test("an owner that nobody can reach is left alone without --force", async () => {
  using state = commandState();
  await using owner = await startRunOwner(state.path, { isDeaf: true });
  const outcome = await state.run("stop", "--timeout", "200ms", "a00000000");
  expect(outcome).toMatchObject({ code: 8, stdout: "" });
  expect(outcome.stderr).toContain("nobody answers");
  expect(isAlive(owner.pid)).toBe(true);
  expect(await state.run("stop", "--timeout", "200ms", "--force", "a00000000")).toMatchObject({ code: 0 });
  expect(isAlive(owner.pid)).toBe(false);
});
