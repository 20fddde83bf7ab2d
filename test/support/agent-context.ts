import type { AgentContext, Todo, Tool, ToolOutput } from "../../src/core/agent.ts";
import type { PermissionContext, PermissionRule, Verdict } from "../../src/core/permission.ts";
import { createMovablePlace } from "../../src/core/movable-place.ts";
import { createReadFileState } from "../../src/core/read-file-state.ts";
import type { TaskHost } from "../../src/core/task-host.ts";
import { isTaskId, type TaskId } from "../../src/core/task.ts";
import { decidePermission } from "../../src/permissions/decide.ts";
import { UNSUPERVISED } from "./unsupervised.ts";

/**
 * The context of one agent that works in `cwd`, with the real permission decision and with nobody to ask. Tests whose
 * tools start tasks pass a host.
 */
export function agentContext(
  cwd: string,
  options: Partial<PermissionContext> & { readonly host?: TaskHost; readonly agentId?: string } = {},
): AgentContext {
  const permission: PermissionContext = {
    mode: options.mode ?? "acceptEdits",
    rules: options.rules ?? [],
    directories: options.directories ?? [cwd],
  };
  let todos: readonly Todo[] = [];
  const context: AgentContext = {
    agentId: taskId(options.agentId ?? "a00000000"),
    role: "root",
    depth: 0,
    permissionMode: permission.mode,
    place: createMovablePlace({ cwd, directories: permission.directories }),
    cwd,
    directories: permission.directories,
    readFileState: createReadFileState(),
    todos: { get: () => todos, set: (next) => (todos = next) },
    host: options.host ?? idleHost(),
    checkPermission: (tool, access) =>
      withNobodyToAsk(
        decidePermission({ tool: tool.name, access, isReadOnly: tool.isReadOnly(access, context), context: permission, cwd }),
      ),
  };
  return context;
}

/** Runs a tool as the loop does: input parsed, permission decided, then called. Rejects where the loop makes an error. */
export async function callTool<Input>(
  tool: Tool<Input>,
  input: unknown,
  context: AgentContext,
  signal: AbortSignal = new AbortController().signal,
): Promise<ToolOutput> {
  const parsed = tool.inputSchema().parse(input);
  const verdict = context.checkPermission(tool, await tool.access(parsed, context));
  if (verdict.behavior !== "allow") throw new Error(`Permission denied: ${verdict.reason}`);
  return tool.call(parsed, context, { toolUseId: "toolu_1", signal });
}

/** A rule of the command line. */
export function rule(behavior: PermissionRule["behavior"], tool: string, spec?: string): PermissionRule {
  return { behavior, tool, layer: "flag", ...(spec === undefined ? {} : { spec }) };
}

function withNobodyToAsk(verdict: Verdict): Verdict {
  return verdict.behavior === "ask" ? { ...verdict, behavior: "deny" } : verdict;
}

function taskId(text: string): TaskId {
  if (!isTaskId(text)) throw new Error(`Not a task id: ${text}`);
  return text;
}

/** A host for tools that start no task: it has none and says so. */
function idleHost(): TaskHost {
  const refuse = (): never => {
    throw new Error("This host starts no tasks");
  };
  return {
    runId: "r_test",
    sessionId: "s_test",
    ledger: {
      insertTask: refuse,
      startTask: refuse,
      endTask: refuse,
      patchTask: refuse,
      addProcess: refuse,
      removeProcess: refuse,
      getTask: () => undefined,
    },
    outputs: { path: refuse, create: refuse, link: refuse, read: refuse },
    getAppState: () => ({ tasks: {}, effects: new Map() }),
    setAppState: refuse,
    onStateChange: refuse,
    now: () => 0,
    activeMs: () => 0,
    emit: refuse,
    childEnv: {},
    supervision: UNSUPERVISED,
    statePath: "/nowhere",
    worktrees: new Map(),
  };
}
