import { expect, test } from "bun:test";
import { commandState } from "../../support/command-state.ts";
import { startRunOwner } from "../../support/run-owner.ts";

test("an agent that has ended gives its last message and its exit status at once", async () => {
  using state = commandState();
  await state.add("a00000001", { type: "local_agent", detail: { transcriptPath: "x" } });
  await state.end("a00000001", "ok", { detail: { result: "All tests pass" } });
  expect(await state.run("wait", "a00000001")).toEqual({ code: 0, stdout: "All tests pass\n", stderr: "" });
  expect(await state.run("wait", "-q", "a00000001")).toEqual({ code: 0, stdout: "", stderr: "" });
});

test.each([
  ["failed", 1],
  ["budget", 4],
  ["timeout", 124],
  ["interrupted", 130],
  ["killed", 137],
] as const)("a task that ended as %s exits with %i and says why", async (reason, code) => {
  using state = commandState();
  await state.add("b00000001");
  await state.end("b00000001", reason, { error: "because of this" });
  const outcome = await state.run("wait", "b00000001");
  expect(outcome).toMatchObject({ code, stdout: "" });
  expect(outcome.stderr).toMatch(/^agent: Task "b00000001" (failed|killed): because of this\n$/);
});

test("a shell gives the end of its output, 30,000 bytes at most", async () => {
  using state = commandState();
  await state.add("b00000001");
  state.output("b00000001", `${"x".repeat(50_000)}\nlast`);
  await state.end("b00000001", "ok");
  const { stdout, stderr } = await state.run("wait", "b00000001");
  expect(stdout).toBe(`${"x".repeat(29_995)}\nlast\n`);
  expect(stderr).toContain('"agent logs b00000001" shows all');
});

test("on a terminal its colors stay, and nothing else acts on the terminal", async () => {
  using state = commandState();
  await state.add("b00000001");
  state.output("b00000001", "\u001b[32mok\u001b[0m\u001b[2J\n");
  await state.end("b00000001", "ok");
  const { ended } = state.start(["wait", "b00000001"], { isStdoutTty: true });
  expect((await ended).stdout).toBe("\u001b[32mok\u001b[0m\n\u001b[0m");
});

test("a running task is waited for", async () => {
  using state = commandState();
  await state.add("b00000001");
  state.output("b00000001", "done\n");
  const { ended } = state.start(["wait", "b00000001"]);
  await state.end("b00000001", "failed", { error: "Exit code 3" });
  expect(await ended).toEqual({ code: 1, stdout: "done\n", stderr: 'agent: Task "b00000001" failed: Exit code 3\n' });
});

test("of several the first failure in the order given decides, whenever it ended", async () => {
  using state = commandState();
  for (const id of ["b00000001", "b00000002", "b00000003"]) await state.add(id);
  await state.end("b00000003", "killed");
  await state.end("b00000002", "failed");
  await state.end("b00000001", "ok");
  expect((await state.run("wait", "b00000001", "b00000002", "b00000003")).code).toBe(1);
  expect((await state.run("wait", "b00000003", "b00000002")).code).toBe(137);
  expect((await state.run("wait", "b00000001")).code).toBe(0);
});

test("--any takes the first that has ended", async () => {
  using state = commandState();
  await state.add("b00000001");
  await state.add("b00000002");
  state.output("b00000002", "two\n");
  await state.end("b00000002", "failed");
  expect(await state.run("wait", "--any", "b00000001", "b00000002")).toMatchObject({ code: 1, stdout: "two\n" });
  expect(await state.run("wait", "--any", "--all", "b00000001")).toMatchObject({ code: 2 });
});

test("--timeout gives up with 124 and names what still runs", async () => {
  using state = commandState();
  await state.add("b00000001");
  const outcome = await state.run("wait", "--timeout", "50ms", "b00000001");
  expect(outcome).toEqual({ code: 124, stdout: "", stderr: 'agent: Gave up waiting after 0.05 s: still running: "b00000001"\n' });
});

test("--json is an array of records with the final message", async () => {
  using state = commandState();
  await state.add("b00000001");
  state.output("b00000001", "done\n");
  await state.add("b00000002");
  await state.end("b00000001", "ok");
  await state.end("b00000002", "failed", { error: "Exit code 2" });
  const { code, stdout } = await state.run("wait", "--json", "b00000001", "b00000002");
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject([
    { id: "b00000001", status: "completed", exit: { code: 0, reason: "ok" }, result: "done\n" },
    { id: "b00000002", status: "failed", error: "Exit code 2", result: null },
  ]);
});

test("the death of the owner ends the wait with 1", async () => {
  using state = commandState();
  await using owner = await startRunOwner(state.path);
  const { ended } = state.start(["wait", "a00000000"]);
  await owner.kill();
  expect(await ended).toEqual({ code: 1, stdout: "", stderr: 'agent: Task "a00000000" failed: The process that ran this task is gone\n' });
});
