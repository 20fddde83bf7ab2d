import { tmpdir } from "node:os";
import { resolveResume } from "../../src/cli/run/resolve-resume.ts";
import type { RunEventBody } from "../../src/core/stream-event.ts";
import type { TaskId } from "../../src/core/task.ts";
import { executeRun } from "../../src/runtime/execute-run.ts";
import { openRun, type OpenRun } from "../../src/runtime/open-run.ts";
import { openTaskStore } from "../../src/runtime/open-task-store.ts";
import { requestStop, STOP_TIMEOUT_MS } from "../../src/runtime/request-stop.ts";
import type { ResumedTask } from "../../src/runtime/run-request.ts";
import { localAgentKind } from "../../src/tasks/local_agent/index.ts";
import { reply, text, type ApiRefusal, type ApiReply } from "../support/api-reply.ts";
import { memoryIo } from "../support/memory-io.ts";
import { sampleRequest } from "../support/sample-request.ts";
import { startScriptedApi } from "../support/scripted-api-server.ts";
import type { TaskKindFixture, Work } from "./task-kind-fixture.ts";

const ANSWERS: Readonly<Record<Work, ApiReply | ApiRefusal>> = {
  succeeding: reply(text("conformance")),
  failing: { status: 400, type: "invalid_request_error", message: "refused" },
  endless: { ...reply(text("conformance")), fault: { kind: "silence" } },
};

/** The root agent of a run, its conversation with a model that says what is written down here. */
export const localAgent: TaskKindFixture = {
  kind: localAgentKind,
  afterResume: { status: "completed", attempt: 2 },
  async open(statePath) {
    let answer = ANSWERS.succeeding;
    const api = startScriptedApi({ turns: () => answer });
    const env = { ...process.env, AGENT_STATE_DIR: statePath, ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "test-key" };
    const events: RunEventBody[] = [];
    let controller = new AbortController();
    const ended: Promise<unknown>[] = [];
    let run: OpenRun | undefined;

    async function start(resume?: ResumedTask): Promise<TaskId> {
      const { promise, resolve, reject } = Promise.withResolvers<TaskId>();
      controller = new AbortController();
      const running = executeRun(
        {
          request: sampleRequest(tmpdir(), resume === undefined ? {} : { resume }),
          env,
          controller,
          observer: { onEvent: (event) => void events.push(event), onRegistered: ({ taskId }) => resolve(taskId) },
        },
        { open: async (params) => (run = await openRun(params)) },
      );
      running.catch(reject);
      ended.push(running);
      return await promise;
    }

    return {
      get host() {
        if (run === undefined) throw new Error("There is no run yet");
        return run.host;
      },
      events,
      parent: undefined,
      start(work) {
        answer = ANSWERS[work];
        return start();
      },
      async stop(id) {
        const store = await openTaskStore({ env, onWarning: () => undefined });
        if (store === undefined) throw new Error("Nothing is on record");
        try {
          await requestStop({ id, store, timeoutMs: STOP_TIMEOUT_MS, isForced: false });
        } finally {
          store.close();
        }
      },
      async resume(id) {
        const { task } = await resolveResume({ reference: id }, memoryIo({ env }));
        await start(task);
        await ended.at(-1);
        const record = run?.host.getAppState().tasks[id];
        if (record === undefined) throw new Error(`Task "${id}" is not in memory`);
        return record;
      },
      async [Symbol.asyncDispose]() {
        controller.abort();
        await Promise.allSettled(ended);
        await api[Symbol.asyncDispose]();
      },
    };
  },
};
