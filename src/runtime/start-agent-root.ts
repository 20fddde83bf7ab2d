import { AppError } from "../core/errors.ts";
import { createStructuredAnswer } from "../core/structured-answer.ts";
import { EMPTY_MIRROR } from "../core/task-mirror.ts";
import type { TaskState } from "../core/task-state.ts";
import type { TaskId } from "../core/task.ts";
import type { Worktree } from "../core/worktree.ts";
import { registerTask } from "../engine/register-task.ts";
import { rememberEffect } from "../engine/running-effect.ts";
import { createWithFreshId } from "../store/create-with-fresh-id.ts";
import { storageFailure } from "../store/storage-failure.ts";
import { openTranscript, type Transcript } from "../store/transcript.ts";
import type { LocalAgentDetail } from "../tasks/local_agent/index.ts";
import { askedPrompt } from "./asked-prompt.ts";
import { rootConversationFile } from "./conversation-file.ts";
import { describeWork } from "./describe-work.ts";
import { isolateRoot } from "./isolate-root.ts";
import { loadAgentWork } from "./registry.ts";
import { createRootInput } from "./root-input.ts";
import type { OpenRun } from "./open-run.ts";
import type { RootWork, RootWorkParams, WakeAgent } from "./root-work.ts";
import { NO_WORK, runError, type RunOutcome } from "./run-outcome.ts";
import { STOPPED_ON_REQUEST, type AgentWork, type ResumedSubagent } from "./run-request.ts";

const PROMPT_EXCERPT_LENGTH = 2_000;

interface AgentRootParams extends RootWorkParams {
  readonly work: AgentWork;
}

/** Puts the root agent on record. Loads nothing of what it works with: whoever waits for the id waits for less. */
export async function startAgentRoot(asked: AgentRootParams): Promise<RootWork> {
  const taskId = asked.work.resume?.taskId ?? newTaskId(asked.run);
  const params = await isolateRoot(taskId, asked);
  const { run, request, work } = params;
  // What is on record has a transcript.
  if (work.resume === undefined) transcriptOf(taskId, params).close();
  await registerTask(rootTask(taskId, params), run.host, { durable: request.isBackgrounded });
  rememberEffect(taskId, { stop: () => params.stopRoot(STOPPED_ON_REQUEST) }, run.host.setAppState);
  const failure = await keepPrompt(taskId, params);
  if (failure !== undefined) return { taskId, hasStarted: false, inputs: new Map(), finish: () => Promise.resolve(failure) };
  const answer = work.outputSchema === undefined ? undefined : createStructuredAnswer();
  const input = createRootInput({
    agentId: taskId,
    run,
    signal: params.controller.signal,
    interruptSignal: params.interruptSignal,
    policy: work.background,
    ...(answer === undefined ? {} : { reminder: answer.reminder }),
  });
  const inputs = new Map([[taskId, input]]);
  const reachable = Promise.withResolvers<WakeAgent>();
  return {
    taskId,
    inputs,
    wake: async (id, message) => await (await reachable.promise)(id, message),
    async finish() {
      const { runAgentRoot } = await loadAgentWork();
      try {
        return await runAgentRoot({ ...params, taskId, input, inputs, onReachable: reachable.resolve, ...(answer === undefined ? {} : { answer }) });
      } finally {
        // For whoever asked while the run was opened, which came to nothing.
        reachable.resolve(() => Promise.reject(new AppError("conflict", "The run is just ending", { code: "task_ending" })));
      }
    },
  };
}

function transcriptOf(agentId: TaskId, { run: { session, sessionId }, work }: Pick<AgentRootParams, "run" | "work">): Transcript {
  const { directory, name, isSidechain } = rootConversationFile(session, agentId, work);
  return openTranscript({ directory, name, sessionId, agentId, isSidechain });
}

/** Whoever gets the id may rely on it that the prompt is on disk. Resolves to what became of the run where it cannot be. */
async function keepPrompt(taskId: TaskId, { run, request, work }: AgentRootParams): Promise<RunOutcome | undefined> {
  try {
    const transcript = transcriptOf(taskId, { run, work });
    try {
      await run.storage.run(() => transcript.append(askedPrompt(run.runId, request, work)));
      if (request.isBackgrounded) transcript.sync();
    } finally {
      transcript.close();
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { ...NO_WORK, reason: error.reason, error: runError(error.code, error.message) };
  }
}

/** An agent's output is its transcript. */
function newTaskId({ host, session }: OpenRun): TaskId {
  try {
    return createWithFreshId("local_agent", (id) => {
      host.outputs.link(id, session.transcriptPath);
      return id;
    });
  } catch (error) {
    throw storageFailure("Cannot create the output of an agent", error);
  }
}

function rootTask(id: TaskId, { run, work, request, worktree }: AgentRootParams): TaskState {
  const { resume } = work;
  const detail: LocalAgentDetail = {
    agentId: id,
    agentType: resume?.subagent?.agentType ?? "main-session",
    model: work.model,
    prompt: work.prompt.slice(0, PROMPT_EXCERPT_LENGTH).toWellFormed(),
    transcriptPath: rootConversationFile(run.session, id, work).path,
    ...resume?.leftWorktree,
    ...(worktree === undefined ? {} : worktreeDetail(worktree)),
  };
  return {
    id,
    type: "local_agent",
    status: "running",
    description: resume?.description ?? describeWork(work),
    startTime: run.startedAt,
    outputFile: run.host.outputs.path(id),
    outputOffset: 0,
    notified: false,
    attempt: resume?.attempt ?? 1,
    runId: run.runId,
    sessionId: run.sessionId,
    ...(request.name === undefined ? {} : { name: request.name }),
    ...(resume?.subagent === undefined ? {} : placeInTree(resume.subagent)),
    cwd: request.cwd,
    isBackgrounded: request.isBackgrounded,
    detail,
    // One that another agent started would leave memory with its end, and the run tells of that afterwards.
    mirror: { ...EMPTY_MIRROR, retain: resume?.subagent !== undefined },
  };
}

function placeInTree({ parentTaskId, toolUseId }: ResumedSubagent): Pick<TaskState, "parentTaskId" | "toolUseId"> {
  return { parentTaskId, ...(toolUseId === undefined ? {} : { toolUseId }) };
}

function worktreeDetail({ path, branch, base }: Worktree): Pick<LocalAgentDetail, "worktreePath" | "worktreeBranch" | "worktree"> {
  return { worktreePath: path, worktreeBranch: branch, worktree: { path, branch, base } };
}
