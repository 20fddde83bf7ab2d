import { AppError } from "../core/errors.ts";
import type { TaskId } from "../core/task.ts";
import { openModel } from "../model/registry.ts";
import { resolveStatePaths } from "../platform/state-paths.ts";
import { createPermissionAsking } from "./asking/ask-permission.ts";
import { openConversation } from "./agent-conversation.ts";
import { runAgentSession } from "./agent-session.ts";
import { createPermissionGrants } from "./asking/permission-grants.ts";
import type { RootInput } from "./root-input.ts";
import { NO_WORK, runError, type RunOutcome } from "./run-outcome.ts";
import type { RootWorkParams } from "./root-work.ts";
import type { AgentWork } from "./run-request.ts";

/** Opens the model and the conversation of the root agent and lets it do its work. Expected failures are outcomes. */
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
  readonly input: RootInput;
}

async function converse({ run, work, taskId, request, env, controller, observer, input, askUser }: AgentRootParams): Promise<RunOutcome> {
  const model = await openModel({ model: work.model, env, cwd: request.cwd });
  const paths = resolveStatePaths(env);
  const grants = createPermissionGrants(work.rules);
  const conversation = await openConversation({ run, taskId, request, work, input });
  try {
    return await runAgentSession({
      agentId: taskId,
      request,
      work,
      model,
      host: run.host,
      conversation,
      input,
      onAgentEvent: observer.onAgentEvent ?? (() => undefined),
      grants,
      ...(askUser === undefined ? {} : { askPermission: createPermissionAsking({ askUser, grants, userSettingsFile: paths.config, warn: run.warn }) }),
      protectedPaths: [paths.config, paths.state],
      signal: controller.signal,
    });
  } finally {
    conversation.close();
  }
}
