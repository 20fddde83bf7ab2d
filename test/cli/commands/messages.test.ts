import { describe, expect, test } from "bun:test";
import { commandState } from "../../support/command-state.ts";
import { startRunOwner } from "../../support/run-owner.ts";
import { taskId } from "../../support/sample-task.ts";
import { waitFor } from "../../support/wait-for.ts";

describe.each([["send", ["hello"]], ["interrupt", []], ["resume", ["hello"]]])("%s", (command, words) => {
  test("of a task that nobody knows is 7, and without a task 2", async () => {
    using state = commandState();
    expect(await state.run(command)).toMatchObject({ code: 2, stdout: "" });
    expect(await state.run(command, "nope", ...words)).toMatchObject({ code: 7, stdout: "", stderr: expect.stringContaining('No task "nope"') });
    await state.add("a00000001", { type: "local_agent" });
    expect(await state.run(command, "nope", ...words)).toMatchObject({ code: 7, stdout: "" });
  });
});

describe("send", () => {
  test("to what is no agent is 8, running or ended, and leaves nothing behind", async () => {
    using state = commandState();
    await state.add("b00000001");
    for (const status of ["running", "ended"]) {
      const outcome = await state.run("send", "b00000001", "hello");
      expect([status, outcome.code, outcome.stderr]).toEqual([status, 8, 'agent: Cannot send to task "b00000001": it is a local_bash, and only agents take messages\n']);
      await state.end("b00000001", "ok");
    }
    expect(state.ledger.pendingMessages(taskId("b00000001"))).toEqual([]);
  });

  test("of nothing, of too much, and from a name that is none is 2", async () => {
    using state = commandState();
    await state.add("a00000001", { type: "local_agent" });
    for (const words of [["  "], ["x".repeat(131_073)], ["--from", "two words", "hi"], ["two", "words"]]) {
      expect(await state.run("send", "a00000001", ...words)).toMatchObject({ code: 2, stdout: "" });
    }
  });

  test("to an owner that was halted says so, and keeps nothing", async () => {
    using state = commandState();
    await using owner = await startRunOwner(state.path);
    owner.signal("SIGSTOP");
    await waitFor(async () => (await Bun.file(`/proc/${owner.pid}/stat`).text()).includes(") T "));
    const outcome = await state.run("send", "a00000000", "hello");
    expect(outcome).toMatchObject({ code: 8, stdout: "", stderr: expect.stringMatching(/^agent: Cannot send to task "a00000000": the process of its run, \d+, was halted by a signal\n$/) });
    expect(state.ledger.pendingMessages(taskId("a00000000"))).toEqual([]);
  });

  test("to an agent that cannot be woken keeps no message for later", async () => {
    using state = commandState();
    const task = await state.add("a00000001", { type: "local_agent" });
    state.transcript(task);
    await state.ledger.patchTask(task.id, 1, { detail: { transcriptPath: `${state.path}/sessions/${task.sessionId}/transcript.jsonl` } });
    await state.end(task.id, "ok");
    // Neither a key nor a server is named.
    expect(await state.run("send", task.id, "hello")).toMatchObject({ code: 9, stdout: "" });
    expect(state.ledger.pendingMessages(task.id)).toEqual([]);
  });
});

describe("interrupt", () => {
  test("of what has ended is 8, and so it is where the owner is gone", async () => {
    using state = commandState();
    await state.add("a00000001", { type: "local_agent" });
    await state.end("a00000001", "ok");
    expect(await state.run("interrupt", "a00000001")).toEqual({ code: 8, stdout: "", stderr: 'agent: Cannot interrupt task "a00000001": it is completed\n' });
    await using owner = await startRunOwner(state.path);
    await owner.kill();
    expect(await state.run("interrupt", "a00000000")).toEqual({ code: 8, stdout: "", stderr: 'agent: Cannot interrupt task "a00000000": the process that ran it is gone\n' });
  });
});
