import type { AgentContext, AgentRole, Todo } from "../core/agent.ts";
import { createMovablePlace } from "../core/movable-place.ts";
import type { PermissionMode } from "../core/permission.ts";
import type { TaskId } from "../core/task.ts";

/** What a subagent has of its own. Everything else of its context is made here, and nothing is passed on unless it says so. */
export interface SubagentOverrides {
  readonly agentId: TaskId;
  readonly role: Exclude<AgentRole, "root">;
  /** Absolute, real paths. */
  readonly cwd: string;
  readonly directories: readonly string[];
  /** Not more than the parent's: whoever calls has seen to it. */
  readonly permissionMode: PermissionMode;
  readonly checkPermission: AgentContext["checkPermission"];
  /** Who is asked where nothing decides; nobody unless given. */
  readonly askPermission?: AgentContext["askPermission"];
}

/**
 * The context of an agent that another one started. Isolated by default: what may be changed is the child's own or a copy,
 * so that a field that nobody thought of costs the child an ability and never reaches the parent. Shared by name is the
 * host alone, on which tasks are recorded and can be found and stopped, at whatever depth they were started.
 */
export function createSubagentContext(parent: AgentContext, overrides: SubagentOverrides): AgentContext {
  const { agentId, role, cwd, directories, permissionMode, checkPermission, askPermission } = overrides;
  let todos: readonly Todo[] = [];
  const place = createMovablePlace({ cwd, directories });
  return {
    agentId,
    role,
    depth: parent.depth + 1,
    place,
    get cwd() {
      return place.current().cwd;
    },
    get directories() {
      return place.current().directories;
    },
    // What the parent has read the child may edit; what the child reads the parent has not.
    readFileState: parent.readFileState.clone(),
    todos: {
      get: () => todos,
      set(replacement) {
        todos = replacement;
      },
    },
    host: parent.host,
    permissionMode,
    checkPermission,
    ...(askPermission === undefined ? {} : { askPermission }),
  };
}
