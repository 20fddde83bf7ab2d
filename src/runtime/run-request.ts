import type { AgentRole } from "../core/agent.ts";
import { AppError } from "../core/errors.ts";
import type { PriceTable } from "../core/price-table.ts";
import type { BudgetLimits } from "../core/token-budget.ts";
import type { Thinking } from "../core/thinking.ts";
import type { PermissionMode, PermissionRule } from "../core/permission.ts";
import type { SettingLimits } from "../core/settings.ts";
import type { CassetteUse } from "../core/cassette.ts";
import type { TaskId } from "../core/task.ts";

/**
 * Everything that one run was asked to do, with flags, environment and settings resolved. Plain data: a launcher hands it
 * to the detached run process as JSON.
 */
export interface RunRequest {
  readonly work: AgentWork | ShellWork;
  readonly name?: string;
  /** Absolute, real path. */
  readonly cwd: string;
  /** `cwd` first, then every added directory; absolute, real paths. */
  readonly directories: readonly string[];
  readonly isBackgrounded: boolean;
  /** Where the agent works instead: in a worktree of the repository that `cwd` is in. */
  readonly isolation?: IsolationRequest;
  readonly timeoutMs?: number;
  /** How long nothing may happen; any time unless given. */
  readonly idleTimeoutMs?: number;
  /** The most bytes of output that are kept for one task. */
  readonly outputBytesMax: number;
  /** The most bytes of output that are kept for all its tasks together. */
  readonly runOutputBytesMax: number;
  /** What is to be told with the result although it stopped nothing. */
  readonly warnings: readonly string[];
}

export interface IsolationRequest {
  readonly type: "worktree";
  /** The commit to begin with, as the user names it; the current one unless given. */
  readonly baseRef?: string;
  /** Whether changes that are not committed come along. */
  readonly carriesChanges: boolean;
}

/** A conversation with a model. */
export interface AgentWork {
  readonly type: "agent";
  /** Empty where a conversation goes on with what waits for it on record. */
  readonly prompt: string;
  /** After aliases. */
  readonly model: string;
  /** As the model does by itself unless given. */
  readonly thinking?: Thinking;
  readonly permissionMode: PermissionMode;
  readonly rules: readonly PermissionRule[];
  readonly turnsMax: number;
  readonly outputTokensMax: number;
  readonly apiAttemptsMax: number;
  /** What the run and everything in it may spend; nothing is limited unless given. */
  readonly budget?: BudgetLimits;
  /** The user's own prices, over the built-in ones. */
  readonly prices?: PriceTable;
  /** The models to turn to, after aliases; none unless given. */
  readonly fallbackModels?: readonly string[];
  /** Hint to the model how many tokens the whole work may take; at least 20,000. */
  readonly taskBudgetTokens?: number;
  /** How long a limit of the service is waited for; a minute unless given. */
  readonly waitMsMax?: number;
  /** Whether the first refused call ends the run. */
  readonly stopOnDenial: boolean;
  /** The definition that the agent works by; the built-in sections of the system prompt and every tool unless given. */
  readonly agent?: RunAgent;
  /** How many other agents it may start, and how. */
  readonly subagents: SubagentLimits;
  /** The user's own names of models, for those that agents are started with. */
  readonly modelAliases?: Readonly<Record<string, string>>;
  /** Definitions for this run alone. */
  readonly inlineAgents?: InlineAgents;
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
  /** The JSON Schema that the answer has to fit; it has been checked. Prose unless given. */
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  readonly background: BackgroundPolicy;
  /** The conversation to go on with; a new one unless given. */
  readonly resume?: ResumedTask;
  /** What is recorded, or replayed without a model and without tools. */
  readonly cassette?: CassetteUse;
}

/** What the agents of a run may be together. */
export interface SubagentLimits {
  /** How deep agents may be nested: 0 for none but the root. */
  readonly depthMax: number;
  /** How many are started in all. */
  readonly countMax: number;
  /** How many replies of models arrive at once; the others wait for their turn. */
  readonly concurrencyMax: number;
  /** Whether an agent that is not named is a copy of the one that starts it. */
  readonly isForkEnabled: boolean;
  /** Whether agents may run beside whoever started them. */
  readonly isBackgroundEnabled: boolean;
}

/** What a root agent has of its definition. */
export interface RunAgent {
  readonly name: string;
  /** In the place of the built-in sections of the system prompt. */
  readonly prompt: string;
  /** The names of its tools. */
  readonly tools: readonly string[];
  readonly omitsProjectInstructions: boolean;
  /** What holds also where flags and settings allow more. */
  readonly ceilings: Partial<Pick<SettingLimits, "permissionMode" | "turnsMax" | "timeoutMs" | "budgetUsdMax" | "budgetTokensMax">>;
}

/** Agent definitions as they were given on the command line; they have been checked. */
export interface InlineAgents {
  /** JSON. */
  readonly text: string;
  /** The flag, or the file that it named. */
  readonly origin: string;
}

/** What happens to background work when the model has ended its turn. */
export interface BackgroundPolicy {
  readonly onEnd: "wait" | "kill";
  /** How long counted work is waited for. */
  readonly drainTimeoutMs: number;
}

/** The attempt that a resumed run opens. */
export interface ResumedTask {
  readonly taskId: TaskId;
  readonly attempt: number;
  readonly sessionId: string;
  readonly description: string;
  /** What its record keeps of a worktree that it has left, with changes in it. */
  readonly leftWorktree?: Readonly<Record<string, unknown>>;
  /** Present where another agent started it in its own conversation. */
  readonly subagent?: ResumedSubagent;
}

/** What a subagent stays where it is gone on with by itself: whose it is, and what it may not do for that. */
export interface ResumedSubagent {
  readonly role: Exclude<AgentRole, "root">;
  readonly agentType: string;
  readonly depth: number;
  readonly parentTaskId: TaskId;
  readonly toolUseId?: string;
}

/** A command that the user gave with `--exec`. */
export interface ShellWork {
  readonly type: "shell";
  /** At least one element. */
  readonly argv: readonly string[];
}

/** Why a run is ended from outside its work. The reason of the run's abort signal. */
export interface RunStop {
  readonly reason: "budget" | "stalled" | "interrupted" | "terminated" | "hangup" | "timeout" | "killed" | "epipe" | "storage";
  /** What it was exactly; the same as `reason` unless given. */
  readonly code?: string;
  readonly message: string;
}

/** The stop that somebody asked for by the id of the root task. */
export const STOPPED_ON_REQUEST: RunStop = { reason: "killed", message: "Stopped on request" };

/** The stop in the reason of an abort signal. Whoever aborts without one asked for a stop as well. */
export function runStopOf(abortReason: unknown): RunStop {
  return isRunStop(abortReason) ? abortReason : STOPPED_ON_REQUEST;
}

/** What is thrown where nothing goes on because of an abort. */
export function stopError({ reason: abortReason }: AbortSignal): AppError {
  const { reason, message } = runStopOf(abortReason);
  return new AppError(reason, message);
}

function isRunStop(value: unknown): value is RunStop {
  return typeof value === "object" && value !== null && "reason" in value && "message" in value;
}
