import type { AgentContext, AgentRole } from "../../core/agent.ts";
import { createSubagentContext } from "../../agent/subagent-context.ts";
import type { PermissionRule } from "../../core/permission.ts";
import type { TaskId } from "../../core/task.ts";
import type { AgentWorld, PermissionPlace } from "./agent-world.ts";

/** The context of a subagent, with what decides about its calls where it works. */
export function contextInPlace(
  id: TaskId,
  params: {
    readonly parent: AgentContext;
    readonly world: AgentWorld;
    readonly role: Exclude<AgentRole, "root">;
    readonly place: PermissionPlace;
    readonly isBackgrounded: boolean;
    /** What holds for it alone. */
    readonly ownRules?: readonly PermissionRule[];
  },
): AgentContext {
  const { parent, world, role, place, isBackgrounded, ownRules } = params;
  // A person who is there answers for a fork and for one that is waited for; nobody is asked in the middle of something else.
  const mayAsk = parent.askPermission !== undefined && (role === "fork" || !isBackgrounded);
  const askPermission = mayAsk ? world.askPermission : undefined;
  const context: AgentContext = createSubagentContext(parent, {
    agentId: id,
    role,
    cwd: place.cwd,
    directories: place.directories,
    permissionMode: place.mode,
    checkPermission: (tool, access) => check(tool, access),
    // What an earlier answer has settled is settled by what holds for this agent, not for its parent.
    ...(askPermission === undefined ? {} : { askPermission: (question) => askPermission(question, context.checkPermission, nameOf(context)) }),
  });
  const check = world.permissionCheck(() => context, ownRules);
  return context;
}

/** What people know an agent by. */
function nameOf({ agentId, host }: AgentContext): string {
  return host.getAppState().tasks[agentId]?.name ?? agentId;
}
