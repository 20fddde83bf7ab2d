import type { AgentContext } from "../../core/agent.ts";
import type { AgentDefinition, AgentDefinitions } from "../../core/agent-definition.ts";
import type { TaskId } from "../../core/task.ts";

/** What starts agents within a run: the same loop again, with a context of its own. */
export interface AgentLauncher {
  readonly definitions: AgentDefinitions;
  /** Whether an agent that is not named is a copy of the one that starts it. */
  readonly isForkEnabled: boolean;
  /** Whether agents may run beside whoever started them. */
  readonly isBackgroundEnabled: boolean;
  /**
   * Puts an agent on record and lets it work. Rejects with an `AppError` where it may not or cannot be started; then there
   * is no task.
   */
  start(request: AgentStart, parent: AgentContext): Promise<StartedAgent>;
  /**
   * Gives a message to an agent of the conversation; one that has ended goes on with it in the background. Rejects with an
   * `AppError` where there is no such agent.
   */
  send(message: AgentMessage, sender: AgentContext): Promise<SentMessage>;
}

export interface AgentMessage {
  /** A name or an id. */
  readonly to: string;
  readonly text: string;
}

export interface SentMessage {
  readonly id: TaskId;
  /** Whether the agent had ended and goes on. */
  readonly isWoken: boolean;
}

export interface AgentStart {
  readonly definition: AgentDefinition | "fork";
  readonly prompt: string;
  /** A few words for people. */
  readonly description: string;
  /** Another name by which messages reach it. */
  readonly name?: string;
  /** Before the definition's. */
  readonly model?: string;
  /** Within that of the definition. */
  readonly turnsMax?: number;
  readonly isBackgrounded: boolean;
  readonly isolation: "none" | "worktree";
  readonly toolUseId: string;
  /** Ends an agent that is waited for; one in the background goes on. */
  readonly signal: AbortSignal;
}

export interface StartedAgent {
  readonly id: TaskId;
  readonly outputFile: string;
  /** Resolves when the agent's end is on record; rejects for defects and where that cannot be written. */
  readonly finished: Promise<AgentEnd>;
}

/** What an agent came to, for the one that waited for it. */
export interface AgentEnd {
  readonly isSuccess: boolean;
  /** Its last message, or what there was of it. */
  readonly text: string;
  /** Why it did not end well. */
  readonly error?: string;
  readonly denialCount: number;
  readonly worktree?: { readonly path: string; readonly branch: string };
}
