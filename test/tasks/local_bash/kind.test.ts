import { expect, test } from "bun:test";
import { localBashKind, startShell } from "../../../src/tasks/local_bash/index.ts";
import { stopTask } from "../../../src/engine/stop-task.ts";
import { processesWithMark } from "../../support/processes.ts";
import { taskId } from "../../support/sample-task.ts";
import { testTaskHost } from "../../support/test-task-host.ts";

test("kill needs no more than the state, ends the processes and writes no status (S-010)", async () => {
  using host = testTaskHost();
  const { id } = await startShell({ command: "exec sleep 60", cwd: host.workspace, description: "sleep", host, isBackgrounded: true, parentTaskId: taskId("a00000001") });
  await localBashKind.kill(id, host.setAppState);
  expect(processesWithMark(`AGENT_TASK_ID=${id}`)).toEqual([]);
  expect(host.ledger.getTask(id)?.status).toBe("running");
  // Nothing is left to be ended: the second time is at once.
  await stopTask(id, host, { findKind: () => Promise.resolve(localBashKind), isSilent: true });
  expect(host.ledger.getTask(id)?.status).toBe("killed");
});
