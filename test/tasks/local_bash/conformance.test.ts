import type { TaskId } from "../../../src/core/task.ts";
import { localBashKind, startShell } from "../../../src/tasks/local_bash/index.ts";
import { testTaskKind } from "../../conformance/task-kind.suite.ts";
import type { TestTaskHost } from "../../support/test-task-host.ts";

testTaskKind({
  kind: localBashKind,
  startSucceeding: (host, parentTaskId) => start("echo conformance", host, parentTaskId),
  startFailing: (host, parentTaskId) => start("exit 3", host, parentTaskId),
  startEndless: (host, parentTaskId) => start("echo conformance; exec sleep 60", host, parentTaskId),
});

async function start(command: string, host: TestTaskHost, parentTaskId: TaskId): Promise<TaskId> {
  const shell = await startShell({ command, cwd: host.workspace, description: command, host, isBackgrounded: true, parentTaskId });
  return shell.id;
}
