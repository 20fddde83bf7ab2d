import { expect, test } from "bun:test";
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentContext, ToolOutput } from "../../src/core/agent.ts";
import { registerTask } from "../../src/engine/register-task.ts";
import { startShell } from "../../src/tasks/local_bash/index.ts";
import { taskOutputTool } from "../../src/tools/task-output.ts";
import { agentContext, callTool } from "../support/agent-context.ts";
import { sampleTask, taskId } from "../support/sample-task.ts";
import { type TestTaskHost, testTaskHost } from "../support/test-task-host.ts";
import { appErrorOf } from "../support/thrown.ts";
import { waitFor } from "../support/wait-for.ts";

const AGENT = taskId("a00000000");

function contextOf(host: TestTaskHost): AgentContext {
  return agentContext(host.workspace, { host, agentId: AGENT });
}

function read(input: Record<string, unknown>, host: TestTaskHost, signal?: AbortSignal): Promise<ToolOutput> {
  return callTool(taskOutputTool, input, contextOf(host), signal);
}

function startInBackground(command: string, host: TestTaskHost): ReturnType<typeof startShell> {
  return startShell({ command, cwd: host.workspace, description: "the work", host, isBackgrounded: true, parentTaskId: AGENT });
}

test("shows the status and the output so far of a running task, more each time (S-034)", async () => {
  using host = testTaskHost();
  const shell = await startInBackground("echo one; while [ ! -e go ]; do sleep 0.02; done; echo two; exit 3", host);
  await waitFor(() => shell.bytesWritten() === 4);
  expect((await read({ task_id: shell.id }, host)).content).toBe(`Task ${shell.id} (the work): running\none\nNext offset: 4`);
  writeFileSync(join(host.workspace, "go"), "");
  await shell.ended;
  expect((await read({ task_id: shell.id }, host)).content).toBe(`Task ${shell.id} (the work): failed: Exit code 3\none\ntwo\nNext offset: 8`);
  expect((await read({ task_id: shell.id, offset: 4 }, host)).content).toBe(`Task ${shell.id} (the work): failed: Exit code 3\ntwo\nNext offset: 8`);
  expect((await read({ task_id: shell.id, offset: 8 }, host)).content).toContain("(no new output)");
});

test("remembers how far the agent that started the task has been shown its output", async () => {
  using host = testTaskHost();
  const shell = await startInBackground("echo output", host);
  await shell.ended;
  await callTool(taskOutputTool, { task_id: shell.id }, agentContext(host.workspace, { host, agentId: "a00000009" }));
  expect(host.ledger.getTask(shell.id)?.outputOffset).toBe(0);
  await read({ task_id: shell.id }, host);
  expect(host.ledger.getTask(shell.id)?.outputOffset).toBe(7);
  expect(host.getAppState().tasks[shell.id]?.outputOffset).toBe(7);
});

test("waits for the end where it is asked to", async () => {
  using host = testTaskHost();
  const shell = await startInBackground("sleep 0.1; echo done", host);
  expect((await read({ task_id: shell.id, block: true }, host)).content).toContain(": completed\ndone");
});

test("waits no longer than it is told, nor when the turn is stopped", async () => {
  using host = testTaskHost();
  const shell = await startInBackground("sleep 60", host);
  const begin = performance.now();
  expect((await read({ task_id: shell.id, block: true, timeout: 100 }, host)).content).toContain(": running\n(no output)");
  expect((await read({ task_id: shell.id, block: true }, host, AbortSignal.timeout(100))).content).toContain(": running");
  expect(performance.now() - begin).toBeLessThan(2_000);
  await host.getAppState().effects.get(shell.id)?.stop();
});

test("long output is shown with both ends, and the bytes between are counted", async () => {
  using host = testTaskHost();
  const shell = await startInBackground("echo first; yes 0123456789 | head -c 2000000; echo; echo last", host);
  await shell.ended;
  const { content } = await read({ task_id: shell.id }, host);
  expect(Buffer.byteLength(content)).toBeLessThan(30_000);
  const [, omitted] = /\[\.\.\. (\d+) bytes of output left out \.\.\.\]/.exec(content) ?? [];
  expect(Number(omitted)).toBe(2_000_012 - 28_000);
  expect(content.slice(0, 200)).toContain("completed\nfirst\n0123");
  expect(content.slice(-300)).toContain(`last\nNext offset: 2000012. The output is in ${shell.outputFile}`);
});

test("the output of an agent is its transcript", async () => {
  using host = testTaskHost();
  const id = taskId("a12345678");
  const transcript = join(dirname(dirname(host.outputs.path(id))), "sessions", "s", "transcript.jsonl");
  mkdirSync(dirname(transcript), { mode: 0o700 });
  writeFileSync(transcript, '{"line":1}\n');
  host.outputs.link(id, transcript);
  await registerTask(sampleTask({ id, type: "local_agent", outputFile: host.outputs.path(id) }), host, { durable: false });
  expect((await read({ task_id: id }, host)).content).toContain('{"line":1}');
  appendFileSync(transcript, '{"line":2}\n');
  expect((await read({ task_id: id, offset: 11 }, host)).content).toContain('running\n{"line":2}\nNext offset: 22');
});

test.each([["../x"], ["b/../../etc/x"], ["x".repeat(4_096)], ["b1234567\0"], ["B12345678"], ["con"], [""]])(
  "text that is no id never becomes a path (V-213): %j",
  async (text) => {
    using host = testTaskHost();
    expect(await appErrorOf(() => read({ task_id: text }, host))).toMatchObject({ reason: "usage", code: "invalid_task_id" });
  },
);

test("a task of another run is not found", async () => {
  using host = testTaskHost();
  expect(await appErrorOf(() => read({ task_id: "b12345678" }, host))).toMatchObject({ reason: "not_found" });
});

test("an offset behind the end shows nothing and leads back to the end", async () => {
  using host = testTaskHost();
  const shell = await startInBackground("echo output", host);
  await shell.ended;
  expect((await read({ task_id: shell.id, offset: 1_000_000 }, host)).content).toEndWith("(no new output)\nNext offset: 7");
});

test("what is lost is told by offsets, and the end is shown (A13)", async () => {
  using host = testTaskHost({ outputBytesMax: 1_000 });
  const shell = await startInBackground("for i in $(seq 1000); do echo $i; done; echo FAILED: reason", host);
  await shell.ended;
  const { content } = await read({ task_id: shell.id }, host);
  const [, lost = "", from = "", to = ""] = /\nNot kept: (\d+) bytes, from byte (\d+) to byte (\d+)\nNext offset: 3908\. The output is in /.exec(content) ?? [];
  expect([Number(lost), from, Number(to) - Number(from)]).toEqual([shell.bytesDropped(), "500", shell.bytesDropped()]);
  expect(content).toContain("completed\n1\n2\n3\n");
  expect(content).toContain("\n1000\nFAILED: reason\n");
  const rest = await read({ task_id: shell.id, offset: 2_000 }, host);
  expect(rest.content).toContain(`Not kept: ${Number(to) - 2_000} bytes, from byte 2000 to byte ${to}\n`);
  expect((await read({ task_id: shell.id, offset: 3_894 }, host)).content).toEndWith(": completed\nAILED: reason\nNext offset: 3908");
});

test("an output of which nothing is left says so", async () => {
  using host = testTaskHost({ outputBytesMax: 1_000 });
  const shell = await startInBackground("echo something", host);
  await shell.ended;
  rmSync(shell.outputFile);
  expect(await appErrorOf(() => read({ task_id: shell.id }, host))).toMatchObject({ reason: "not_found", code: "no_output" });
});
