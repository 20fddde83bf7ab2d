import { tmpdir } from "node:os";
import type { RunEventBody } from "../../src/core/stream-event.ts";
import { endTask } from "../../src/engine/end-task.ts";
import { registerTask } from "../../src/engine/register-task.ts";
import { stopTask } from "../../src/engine/stop-task.ts";
import { exitFor } from "../../src/core/exit-code.ts";
import { openRun } from "../../src/runtime/open-run.ts";
import { stopChildren } from "../../src/runtime/stop-children.ts";
import { localBashKind, startShell } from "../../src/tasks/local_bash/index.ts";
import { resolveResume } from "../../src/cli/run/resolve-resume.ts";
import { memoryIo } from "../support/memory-io.ts";
import { sampleRequest } from "../support/sample-request.ts";
import { sampleTask, taskId } from "../support/sample-task.ts";
import { UNSUPERVISED } from "../support/unsupervised.ts";
import type { TaskKindFixture, Work } from "./task-kind-fixture.ts";

const PARENT = taskId("a00000001");
const COMMANDS: Readonly<Record<Work, string>> = {
  succeeding: "echo conformance",
  failing: "exit 3",
  endless: "echo conformance; exec sleep 60",
};

/** Commands in the background of an agent. */
export const localBash: TaskKindFixture = {
  kind: localBashKind,
  afterResume: { reason: "usage", code: "not_an_agent" },
  async open(statePath) {
    const env = { ...process.env, AGENT_STATE_DIR: statePath };
    const events: RunEventBody[] = [];
    const cwd = tmpdir();
    const run = await openRun({ request: sampleRequest(cwd), env, controller: new AbortController(), observer: { onEvent: (event) => void events.push(event) } });
    const host = { ...run.host, supervision: UNSUPERVISED };
    await registerTask(sampleTask({ id: PARENT, type: "local_agent", runId: run.runId, sessionId: run.sessionId, isBackgrounded: true }), host, { durable: true });
    return {
      host,
      events,
      parent: PARENT,
      async start(work) {
        const command = COMMANDS[work];
        return (await startShell({ command, cwd, description: command, host, isBackgrounded: true, parentTaskId: PARENT })).id;
      },
      stop: async (id) => void (await stopTask(id, host, { findKind: () => Promise.resolve(localBashKind), isSilent: true })),
      async resume(id) {
        const { task } = await resolveResume({ reference: id }, memoryIo({ env }));
        throw new Error(`Task "${task.taskId}" was not refused`);
      },
      async [Symbol.asyncDispose]() {
        await stopChildren(PARENT, host);
        await endTask(PARENT, { status: "completed", exit: exitFor("ok") }, host, { isSilent: true });
        run.close();
      },
    };
  },
};
