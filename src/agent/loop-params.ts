import type { AgentContext, Tool } from "../core/agent.ts";
import type { ContextEdit } from "../core/context-edit.ts";
import type { Message } from "../core/message.ts";
import type { Thinking } from "../core/thinking.ts";
import type { TokenBudget } from "../core/token-budget.ts";
import type { ModelClient, ToolDefinition } from "../model/client.ts";
import type { CallJournal } from "./call-journal.ts";
import type { WorkingState } from "./compaction/summary.ts";
import type { RunCalls } from "./run-tool-calls.ts";
import type { TurnInput } from "./turn-input.ts";

/** Everything that the loop of an agent works with. */
export interface QueryParams {
  readonly context: AgentContext;
  readonly model: ModelClient;
  /** Open the models to turn to, one after the other, when the one before does not answer. */
  readonly fallbacks?: readonly (() => Promise<ModelClient>)[];
  readonly system: readonly string[];
  readonly tools: readonly Tool[];
  /** The tools as the model sees them; rendered once, so that the bytes stay the same from turn to turn. */
  readonly toolDefinitions: readonly ToolDefinition[];
  /** The conversation so far; its last message is the user's. */
  readonly history: readonly Message[];
  /**
   * Makes a message durable, and that it delivers what `deliveryIds` name. The loop goes on when it has resolved, and
   * throws what it rejects with.
   */
  readonly record: (message: Message, deliveryIds: readonly string[]) => Promise<void>;
  /** Makes durable what is changed of the conversation as it is sent. */
  readonly recordEdit: (edit: ContextEdit) => Promise<void>;
  /** Keeps a result that is too large for the conversation; resolves to the path where it can be read. */
  readonly keepResult?: (toolUseId: string, content: string) => Promise<string>;
  readonly journal: CallJournal;
  readonly input: TurnInput;
  /** What answers calls; unless given, they run. */
  readonly runCalls?: RunCalls;
  /** Whether calls that only look may begin while the reply still arrives; true unless told. */
  readonly startsCallsEarly?: boolean;
  /** Whether there is an answer already, so that the loop ends without another reply; its text. */
  readonly answer?: () => string | undefined;
  readonly budget?: TokenBudget;
  /** Hint to the model how many tokens the whole work may take. */
  readonly taskBudgetTokens?: number;
  /** As the model does by itself unless given. */
  readonly thinking?: Thinking;
  readonly turnsMax: number;
  readonly outputTokensMax: number;
  /** How many requests may be made for one reply. */
  readonly attemptsMax: number;
  /** The longest wait that the service may ask for, in milliseconds. */
  readonly waitMsMax?: number;
  /** Whether the first refused call ends the loop. */
  readonly stopOnDenial: boolean;
  /** What a summary of the conversation has to keep beside what was said. */
  readonly workingState: () => WorkingState;
  readonly random?: () => number;
  /** Waits before another attempt; never rejects. `abortableSleep` unless given. */
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Stops the loop; its reason comes back in the stop reason. */
  readonly signal: AbortSignal;
}
