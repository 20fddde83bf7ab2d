import type { TaskState } from "../core/task-state.ts";
import type { TaskId } from "../core/task.ts";
import { registerTask } from "../engine/register-task.ts";
import { rememberEffect } from "../engine/running-effect.ts";
import { createWithFreshId } from "../store/create-with-fresh-id.ts";
import type { LocalAgentDetail } from "../tasks/local_agent/index.ts";
import { describeWork } from "./describe-work.ts";
import { loadAgentWork } from "./registry.ts";
import { createRootInput } from "./root-input.ts";
import type { OpenRun } from "./open-run.ts";
import type { RootWork, RootWorkParams } from "./root-work.ts";
import { STOPPED_ON_REQUEST, type AgentWork } from "./run-request.ts";

const PROMPT_EXCERPT_LENGTH = 2_000;

/** Puts the root agent on record. Loads nothing of what it works with: whoever waits for the id waits for less. */
export async function startAgentRoot(params: RootWorkParams & { readonly work: AgentWork }): Promise<RootWork> {
  const { run, request, work } = params;
  const taskId = work.resume?.taskId ?? newTaskId(run);
  await registerTask(rootTask(taskId, params), run.host, { durable: request.isBackgrounded });
  rememberEffect(taskId, { stop: () => params.stopRoot(STOPPED_ON_REQUEST) }, run.host.setAppState);
  const input = createRootInput({ agentId: taskId, run, signal: params.controller.signal, policy: work.background });
  return {
    taskId,
    input,
    async finish() {
      const { runAgentRoot } = await loadAgentWork();
      return await runAgentRoot({ ...params, taskId, input });
    },
  };
}

/** An agent's output is its transcript. */
function newTaskId(run: OpenRun): TaskId {
  return createWithFreshId("local_agent", (id) => {
    run.host.outputs.link(id, run.session.transcriptPath);
    return id;
  });
}

function rootTask(id: TaskId, { run, work, request }: RootWorkParams & { readonly work: AgentWork }): TaskState {
  const detail: LocalAgentDetail = {
    agentId: id,
    agentType: "main-session",
    model: work.model,
    prompt: work.prompt.slice(0, PROMPT_EXCERPT_LENGTH).toWellFormed(),
    transcriptPath: run.session.transcriptPath,
  };
  return {
    id,
    type: "local_agent",
    status: "running",
    description: work.resume?.description ?? describeWork(work),
    startTime: run.startedAt,
    outputFile: run.host.outputs.path(id),
    outputOffset: 0,
    notified: false,
    attempt: work.resume?.attempt ?? 1,
    runId: run.runId,
    sessionId: run.sessionId,
    ...(request.name === undefined ? {} : { name: request.name }),
    cwd: request.cwd,
    isBackgrounded: request.isBackgrounded,
    detail,
  };
}
