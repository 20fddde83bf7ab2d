import type { BUILD_INFO } from "../core/build-info.ts";
import type { CliCommand } from "./command.ts";

export interface CommandEntry {
  readonly description: string;
  /** Not for people: left out of help. */
  readonly isHidden?: true;
  readonly load: () => Promise<{ readonly default: CliCommand }>;
}

/**
 * Every command of this build. Descriptions stand here so that help loads no command; the table has no prototype, so
 * that `toString` is not a command.
 */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = Object.setPrototypeOf({
  run: { description: "Run an agent on a prompt, or a command with --exec", load: () => import("./commands/run.ts") },
  ps: { description: "List tasks", load: () => import("./commands/ps.ts") },
  logs: { description: "Show the output of a task", load: () => import("./commands/logs.ts") },
  events: { description: "Show the events of a run as lines of JSON", load: () => import("./commands/events.ts") },
  wait: { description: "Wait for tasks to end and exit as they did", load: () => import("./commands/wait.ts") },
  send: { description: "Give a message to an agent; one that has ended is woken by it", load: () => import("./commands/send.ts") },
  interrupt: { description: "End the current turn of an agent, which then waits for a message", load: () => import("./commands/interrupt.ts") },
  resume: { description: "Go on with an agent that has ended: the next attempt at its task", load: () => import("./commands/resume.ts") },
  stop: { description: "Stop tasks and everything they started", load: () => import("./commands/stop.ts") },
  inspect: { description: "Show the whole record of tasks as JSON", load: () => import("./commands/inspect.ts") },
  diff: { description: "Show what an agent has changed in its worktree", load: () => import("./commands/diff.ts") },
  apply: { description: "Take over what an agent has changed in its worktree", load: () => import("./commands/apply.ts") },
  discard: { description: "Throw away what an agent has changed in its worktree", load: () => import("./commands/discard.ts") },
  rm: { description: "Remove ended tasks and their output", load: () => import("./commands/rm.ts") },
  gc: { description: "Remove what ended long ago and what nobody needs any more", load: () => import("./commands/gc.ts") },
  config: { description: "Show and change settings", load: () => import("./commands/config.ts") },
  permissions: { description: "Explain what a run may do, and test a policy", load: () => import("./commands/permissions.ts") },
  agents: { description: "Show and check agent definitions", load: () => import("./commands/agents.ts") },
  doctor: { description: "Check the installation and the state folder", load: () => import("./commands/doctor.ts") },
  features: { description: "Show what this build contains", load: () => import("./commands/features.ts") },
  schema: { description: "Print the JSON Schema of a machine format", load: () => import("./commands/schema.ts") },
  completion: { description: "Print a script that completes commands, flags and task ids in a shell", load: () => import("./commands/completion.ts") },
  version: { description: "Show the version of this build", load: () => import("./commands/version.ts") },
  help: { description: "Show help for a command", load: () => import("./commands/help.ts") },
  ...(WORKFLOW_SCRIPTS ? { workflow: unfinished(async () => (await import("../tasks/local_workflow/index.ts")).startWorkflow()) } : {}),
  ...(MONITOR_TOOL ? { monitor: unfinished(async () => (await import("../tasks/monitor_mcp/index.ts")).startMonitor()) } : {}),
  "run-process": { description: "Host a detached run", isHidden: true, load: () => import("./commands/run-process.ts") },
} satisfies Record<string, CommandEntry>, null);

/** Commands of parts that a build may lack: the flag of the part, by the command's name. */
export const FLAGGED_COMMANDS: ReadonlyMap<string, keyof typeof BUILD_INFO.flags> = new Map([
  ["workflow", "WORKFLOW_SCRIPTS"],
  ["monitor", "MONITOR_TOOL"],
]);

/** A command whose part says itself that it is not there yet; until then help does not name it. */
function unfinished(answer: () => Promise<never>): CommandEntry {
  return { description: "Not built yet", isHidden: true, load: answer };
}

/** The names of the commands that are for people, in the order of the help. */
export function visibleCommands(): string[] {
  return Object.keys(COMMANDS).filter((name) => COMMANDS[name]?.isHidden !== true);
}

/** What lays out the usage of a command: loaded where help is shown. */
export async function loadUsageText(): Promise<(command: CliCommand) => Promise<string>> {
  const { usageText } = await import("./citty.ts");
  return usageText;
}
