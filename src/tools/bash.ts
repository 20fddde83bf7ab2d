import { homedir } from "node:os";
import { z } from "zod";
import type { AgentContext, Tool, ToolCall, ToolOutput } from "../core/agent.ts";
import { isBackgroundDisabled } from "../core/background-switch.ts";
import type { ToolAccess } from "../core/permission.ts";
import { lazySchema } from "../core/schema.ts";
import { stopTask } from "../engine/stop-task.ts";
import { commandAccess } from "../permissions/command-access.ts";
import { isSearchPathFixed } from "../permissions/search-path.ts";
import { shellProgram } from "../platform/shell-program.ts";
import { localBashKind, type ShellTask, startShell } from "../tasks/local_bash/index.ts";
import { shellResult } from "./bash-result.ts";
import description from "./bash.md" with { type: "text" };

const BASH_TIMEOUT_MS = 120_000;
const BASH_TIMEOUT_MS_MAX = 600_000;
/** What a command is shown as where it has no description. */
const LABEL_CHARS_MAX = 80;

const inputSchema = lazySchema("BashInput", () =>
  z.strictObject({
    command: z
      .string()
      .min(1)
      .refine((command) => !command.includes("\0"), "a command cannot hold a NUL character"),
    description: z.string().optional().describe("What the command does, in 5 to 10 words"),
    timeout: z.number().int().min(1).max(BASH_TIMEOUT_MS_MAX).optional().describe("Milliseconds"),
    run_in_background: z.boolean().optional(),
  }),
);
type BashInput = z.infer<ReturnType<typeof inputSchema>>;

export const bashTool: Tool<BashInput> = {
  name: "Bash",
  description,
  inputSchema,
  access: ({ command }, { host }) => commandAccess(command, { home: host.childEnv["HOME"] ?? homedir(), dialect: shellProgram().endsWith("/bash") ? "bash" : "sh" }),
  isReadOnly: isProvenReadOnly,
  isConcurrencySafe: isProvenReadOnly,
  maxResultBytes: 30_000,
  call: (input, context, call) => (isForBackground(input, context) ? startInBackground(input, context, call) : runToEnd(input, context, call)),
};

function isProvenReadOnly(access: ToolAccess, { directories, cwd, host }: AgentContext): boolean {
  if (access.kind !== "command") return false;
  return access.judge.isReadOnly({ access, context: { mode: "default", rules: [], directories }, cwd, isSearchPathFixed: isSearchPathFixed(host.childEnv["PATH"]) });
}

async function startInBackground(input: BashInput, context: AgentContext, call: ToolCall): Promise<ToolOutput> {
  const shell = await start(input, context, call, input.timeout);
  return { content: `Started in the background as task ${shell.id}. Its output goes to ${shell.outputFile}` };
}

async function runToEnd(input: BashInput, context: AgentContext, call: ToolCall): Promise<ToolOutput> {
  const shell = await start(input, context, call, input.timeout ?? BASH_TIMEOUT_MS);
  const stopListening = onAbort(call.signal, () => void stopQuietly(shell, context));
  try {
    const outcome = await shell.foreground;
    return shellResult(outcome, shell);
  } finally {
    stopListening();
  }
}

function start(input: BashInput, context: AgentContext, call: ToolCall, timeoutMs: number | undefined): Promise<ShellTask> {
  return startShell({
    command: input.command,
    cwd: context.cwd,
    description: input.description ?? labelOf(input.command),
    host: context.host,
    isBackgrounded: isForBackground(input, context),
    parentTaskId: context.agentId,
    agentDepth: context.depth,
    toolUseId: call.toolUseId,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
}

function isForBackground({ run_in_background: isAsked }: BashInput, { host }: AgentContext): boolean {
  return isAsked === true && !isBackgroundDisabled(host.childEnv);
}

function labelOf(command: string): string {
  const [line = ""] = command.trim().split("\n");
  return line.length > LABEL_CHARS_MAX ? `${line.slice(0, LABEL_CHARS_MAX).toWellFormed()}…` : line;
}

function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) listener();
  signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
}

/** The turn was stopped: whoever did that wants no notice of it. A shell that has just ended keeps its own ending. */
async function stopQuietly(shell: ShellTask, { host }: AgentContext): Promise<void> {
  try {
    await stopTask(shell.id, host, { findKind: () => Promise.resolve(localBashKind), isSilent: true });
  } catch {
    // `shell.foreground` rejects where the record cannot be written, and has resolved where the shell has ended.
  }
}
