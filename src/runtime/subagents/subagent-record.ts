import type { AgentContext } from "../../core/agent.ts";
import type { TaskState } from "../../core/task-state.ts";
import { EMPTY_MIRROR } from "../../core/task-mirror.ts";
import type { TaskId } from "../../core/task.ts";
import type { Worktree } from "../../core/worktree.ts";
import type { AgentStart, LocalAgentDetail } from "../../tasks/local_agent/index.ts";
import type { AgentWorld } from "./agent-world.ts";
import type { SubagentSpec } from "./subagent-spec.ts";

const PROMPT_EXCERPT_LENGTH = 2_000;

/** The record of a subagent that is about to begin. */
export function subagentRecord(
  id: TaskId,
  params: { readonly request: AgentStart; readonly parent: AgentContext; readonly spec: SubagentSpec; readonly world: AgentWorld; readonly worktree: Worktree | undefined },
): TaskState {
  const { request, parent, spec, world, worktree } = params;
  const detail: LocalAgentDetail = {
    agentId: id,
    agentType: spec.type,
    model: spec.model ?? world.model,
    prompt: request.prompt.slice(0, PROMPT_EXCERPT_LENGTH).toWellFormed(),
    transcriptPath: world.run.session.subagentTranscriptPath(id),
    ...(worktree === undefined ? {} : { worktreePath: worktree.path, worktreeBranch: worktree.branch, worktree: { path: worktree.path, branch: worktree.branch, base: worktree.base } }),
  };
  return {
    id,
    type: "local_agent",
    status: "running",
    description: request.description.toWellFormed(),
    startTime: parent.host.now(),
    outputFile: parent.host.outputs.path(id),
    outputOffset: 0,
    notified: false,
    attempt: 1,
    runId: world.run.runId,
    sessionId: world.run.sessionId,
    parentTaskId: parent.agentId,
    toolUseId: request.toolUseId,
    ...(request.name === undefined ? {} : { name: request.name }),
    cwd: worktree?.cwdInside ?? parent.cwd,
    isBackgrounded: request.isBackgrounded,
    detail,
    mirror: EMPTY_MIRROR,
  };
}
