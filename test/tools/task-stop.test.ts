import { expect, test } from "bun:test";
import type { ToolOutput } from "../../src/core/agent.ts";
import type { TaskId } from "../../src/core/task.ts";
import { registerTask } from "../../src/engine/register-task.ts";
import { type ShellTask, startShell } from "../../src/tasks/local_bash/index.ts";
import { taskStopTool } from "../../src/tools/task-stop.ts";
import { agentContext, callTool } from "../support/agent-context.ts";
import { processesWithMark } from "../support/processes.ts";
import { sampleTask, taskId } from "../support/sample-task.ts";
import { type TestTaskHost, testTaskHost } from "../support/test-task-host.ts";
import { appErrorOf } from "../support/thrown.ts";

const ROOT = taskId("a00000000");
const CHILD = taskId("a00000001");

function stop(text: string, host: TestTaskHost, agentId: TaskId = ROOT): Promise<ToolOutput> {
  return callTool(taskStopTool, { task_id: text }, agentContext(host.workspace, { host, agentId }));
}

function startInBackground(command: string, host: TestTaskHost): Promise<ShellTask> {
  return startShell({ command, cwd: host.workspace, description: "the work", host, isBackgrounded: true, parentTaskId: ROOT, graceMs: 200 });
}

test("ends a shell with all it started, without a notice to who asked (S-112, S-134)", async () => {
  using host = testTaskHost();
  const shell = await startInBackground("(trap '' TERM; sleep 60) & sleep 60", host);
  expect((await stop(shell.id, host)).content).toBe(`Stopped: task ${shell.id} (the work). Its output is in ${shell.outputFile}`);
  expect(host.ledger.getTask(shell.id)).toMatchObject({ status: "killed", exit: { code: 137, reason: "killed" }, notified: true });
  expect(host.ledger.pendingNotifications(ROOT)).toEqual([]);
  expect(processesWithMark(`AGENT_TASK_ID=${shell.id}`)).toEqual([]);
});

test("a task that has ended cannot be stopped", async () => {
  using host = testTaskHost();
  const shell = await startInBackground("true", host);
  await shell.ended;
  const error = await appErrorOf(() => stop(shell.id, host));
  expect(error).toMatchObject({ reason: "conflict", code: "not_running" });
  expect(error.message).toBe(`Cannot stop task "${shell.id}": it is completed`);
});

test("an agent stops neither itself nor whom it works for", async () => {
  using host = testTaskHost();
  await registerTask(sampleTask({ id: ROOT, type: "local_agent" }), host, { durable: false });
  await registerTask(sampleTask({ id: CHILD, type: "local_agent", parentTaskId: ROOT }), host, { durable: false });
  for (const id of [CHILD, ROOT]) {
    expect(await appErrorOf(() => stop(id, host, CHILD))).toMatchObject({ reason: "conflict", code: "own_line" });
  }
});

test("unknown tasks and text that is no id are told apart (V-213)", async () => {
  using host = testTaskHost();
  expect(await appErrorOf(() => stop("b12345678", host))).toMatchObject({ reason: "not_found" });
  expect(await appErrorOf(() => stop("../b12345678", host))).toMatchObject({ reason: "usage", code: "invalid_task_id" });
});
