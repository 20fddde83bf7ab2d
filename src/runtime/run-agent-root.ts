import { AppError } from "../core/errors.ts";
import type { Message } from "../core/message.ts";
import type { TaskId } from "../core/task.ts";
import { openModel } from "../model/registry.ts";
import { resolveStatePaths } from "../platform/state-paths.ts";
import { TRANSCRIPT_NAME } from "../store/session-directory.ts";
import { openTranscript } from "../store/transcript.ts";
import { runAgentSession } from "./agent-session.ts";
import { NO_WORK, runError, type RunOutcome } from "./run-outcome.ts";
import type { RootWorkParams } from "./root-work.ts";
import type { AgentWork } from "./run-request.ts";

/** Opens the model and the transcript of the root agent and lets it do its work. Expected failures are outcomes. */
export async function runAgentRoot(params: AgentRootParams): Promise<RunOutcome> {
  try {
    return await converse(params);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { ...NO_WORK, reason: error.reason, error: runError(error.code, error.message) };
  }
}

interface AgentRootParams extends RootWorkParams {
  readonly work: AgentWork;
  readonly taskId: TaskId;
}

async function converse({ run, work, taskId, request, env, controller, observer }: AgentRootParams): Promise<RunOutcome> {
  const model = await openModel({ model: work.model, env, cwd: request.cwd });
  const paths = resolveStatePaths(env);
  const transcript = openTranscript({
    directory: run.session.root,
    name: TRANSCRIPT_NAME,
    sessionId: run.sessionId,
    agentId: taskId,
    isSidechain: false,
  });
  try {
    return await runAgentSession({
      agentId: taskId,
      request,
      work,
      model,
      host: run.host,
      record: async (message: Message) => {
        transcript.append({ type: message.role, message });
      },
      onAgentEvent: observer.onAgentEvent ?? (() => undefined),
      protectedPaths: [paths.config, paths.state],
      signal: controller.signal,
    });
  } finally {
    transcript.close();
  }
}
