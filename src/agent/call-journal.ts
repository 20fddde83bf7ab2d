import type { ToolOutput } from "../core/agent.ts";
import type { ToolUseBlock } from "../core/message.ts";

/**
 * Keeps on record what a call was about to do and what it did, for calls that may change something: after a crash it is
 * then known which calls were never begun, which ended how, and of which the outcome is unknown.
 */
export interface CallJournal {
  /** Resolves when the intent is durable; the call begins then. */
  begin(call: ToolUseBlock): Promise<void>;
  /** Resolves when the outcome is durable. */
  end(call: ToolUseBlock, output: ToolOutput): Promise<void>;
}
