import { existsSync } from "node:fs";
import { rebuildConversation } from "../../agent/rebuild-conversation.ts";
import type { AgentContext } from "../../core/agent.ts";
import { AppError } from "../../core/errors.ts";
import type { Message } from "../../core/message.ts";
import type { PermissionRule } from "../../core/permission.ts";
import { GO_ON_PROMPT, type PendingInput } from "../../core/notification.ts";
import { stricterMode } from "../../core/stricter-mode.ts";
import { EMPTY_MIRROR } from "../../core/task-mirror.ts";
import type { TaskId } from "../../core/task.ts";
import type { TaskState } from "../../core/task-state.ts";
import type { Worktree } from "../../core/worktree.ts";
import { registerTask } from "../../engine/register-task.ts";
import { isolatedDirectories } from "../../engine/worktree/isolated-directories.ts";
import { loadIsolation } from "../../engine/worktree/registry.ts";
import type { TranscriptEntry } from "../../store/transcript-entry.ts";
import { undeliveredPrompts, wasLost } from "../asked-prompt.ts";
import { latestRunSettings } from "../saved-run-settings.ts";
import { readTranscript } from "../../store/read-transcript.ts";
import type { StartedAgent } from "../../tasks/local_agent/index.ts";
import type { AgentWorld } from "./agent-world.ts";
import { lineOf } from "./line-of.ts";
import { isNameInUse } from "./name-in-use.ts";
import { runSubagent } from "./run-subagent.ts";
import { readSavedSubagent, savedSubagent } from "./saved-subagent.ts";
import { openSidechain } from "./sidechain.ts";
import { contextInPlace } from "./subagent-place.ts";

/**
 * Begins the next attempt of a subagent that has ended, in the background: its conversation as its transcript has it, with
 * the same system prompt and tools, and the messages that wait for it. It may do what it might before, and never more than
 * who wakes it.
 *
 * Rejects with an `AppError` where its transcript cannot be read; then nothing has changed.
 */
export async function resumeSubagent(
  task: TaskState,
  { waker, world }: { readonly waker: AgentContext; readonly world: AgentWorld },
): Promise<StartedAgent> {
  const { id } = task;
  const { run } = world;
  const entries = readTranscript(run.session.subagentTranscriptPath(id));
  const saved = readSavedSubagent(entries);
  if (saved === undefined) throw new AppError("conflict", `Cannot go on with agent ${id}: its transcript does not say how it was started`, { code: "no_transcript" });
  const worktree = await worktreeOf(task, world);
  const cwd = worktree?.cwdInside ?? saved.cwd;
  if (!existsSync(cwd)) throw new AppError("conflict", `Cannot go on with agent ${id}: its working directory "${cwd}" is gone`, { code: "no_directory" });
  const mode = stricterMode(waker.permissionMode, saved.permissionMode);
  const parent = { ...waker, depth: saved.depth - 1 };
  const place = { cwd, directories: withinWaker(saved.directories, waker, worktree), mode };
  const tools = toolsNamed(saved.toolNames, waker, world);
  await registerTask(nextAttempt(task, { waker, world }), run.host, { durable: true });
  const context = contextInPlace(id, { parent, world, role: saved.role, place, isBackgrounded: true, ownRules: deniedByUser(entries) });
  return runSubagent(
    {
      context,
      definition: saved.role === "fork" ? undefined : world.definitions.find(saved.agentType),
      model: saved.model,
      thinking: saved.thinking,
      tools,
      system: saved.system,
      turnsMax: saved.turnsMax,
      timeoutMs: saved.timeoutMs,
      budget: saved.budget,
      isBackgrounded: true,
      signal: new AbortController().signal,
      openSidechain: async (input, all) => openSidechain({ run, id, started: savedSubagent({ ...saved, toolNames: all.map(({ name }) => name) }), entries, inherited: [], ...whatWaits([...owed(entries, id, run), ...(await input.pending())]) }),
    },
    world,
  );
}

async function worktreeOf({ id, detail }: TaskState, { run }: AgentWorld): Promise<Worktree | undefined> {
  if (detail["worktreePath"] === undefined || detail["hasLeftWorktree"] === true) return undefined;
  return await (await loadIsolation()).resumeIsolation(id, run.host);
}

/** What its user told it in a run of its own that died before it had begun. */
function owed(entries: readonly TranscriptEntry[], id: TaskId, { ledger }: AgentWorld["run"]): readonly PendingInput[] {
  const { deliveryIds } = rebuildConversation(entries);
  return undeliveredPrompts(entries, { deliveryIds, isOwed: (runId) => wasLost(runId, id, ledger) }).filter(({ text }) => text !== "");
}

function whatWaits(waiting: readonly PendingInput[]): { readonly prompt: Message; readonly deliveryIds: readonly string[] } {
  const texts = waiting.length === 0 ? [GO_ON_PROMPT] : waiting.map(({ text }) => text);
  return {
    prompt: { role: "user", content: texts.map((text) => ({ type: "text", text: text.toWellFormed() })) },
    deliveryIds: waiting.flatMap(({ deliveryId }) => deliveryId ?? []),
  };
}

/** What its user forbade when they went on with it by themselves. */
function deniedByUser(entries: readonly TranscriptEntry[]): readonly PermissionRule[] {
  return latestRunSettings(entries)?.rules.filter(({ behavior, layer }) => behavior !== "allow" && layer === "flag") ?? [];
}

/** The tools that it had, byte for byte and in the same order; those of whoever wakes it go first, for a fork has its parent's. */
function toolsNamed(names: readonly string[], { scene }: AgentContext, { tools }: AgentWorld) {
  const known = [...(scene?.().tools ?? []), ...tools];
  return names.flatMap((name) => known.find((tool) => tool.name === name) ?? []);
}

/** What is no working directory of whoever wakes it is none of the agent any more; a worktree of its own stays one. */
function withinWaker(directories: readonly string[], waker: AgentContext, worktree: Worktree | undefined): readonly string[] {
  if (worktree !== undefined) return isolatedDirectories(directories, worktree);
  const [cwd = waker.cwd, ...added] = directories;
  return [cwd, ...added.filter((directory) => waker.directories.includes(directory))];
}

/**
 * Whoever wakes an agent is told of its end: whoever started it may be gone. An agent that works for the one it wakes would
 * wait for itself, so the root is told instead.
 */
function whoHears({ id }: TaskState, { agentId, host }: AgentContext): TaskId {
  const line = lineOf(agentId, host.getAppState().tasks);
  return line.includes(id) ? (line.at(-1) ?? agentId) : agentId;
}

function nextAttempt(task: TaskState, { waker, world: { run } }: { readonly waker: AgentContext; readonly world: AgentWorld }): TaskState {
  const { endTime: _endTime, exit: _exit, error: _error, name, ...kept } = task;
  const isNameLost = name === undefined || isNameInUse(name, { id: task.id, sessionId: run.sessionId }, run.ledger);
  const { result: _result, denialCount: _denials, progress: _progress, ...detail } = kept.detail;
  return {
    ...kept,
    ...(isNameLost ? {} : { name }),
    status: "running",
    attempt: task.attempt + 1,
    startTime: run.host.now(),
    notified: false,
    runId: run.runId,
    sessionId: run.sessionId,
    parentTaskId: whoHears(task, waker),
    isBackgrounded: true,
    detail,
    mirror: task.mirror ?? EMPTY_MIRROR,
  };
}
