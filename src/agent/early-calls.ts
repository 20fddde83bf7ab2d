import type { AgentContext, Tool, ToolOutput } from "../core/agent.ts";
import type { ToolUseBlock } from "../core/message.ts";
import { prepareToolCall } from "./prepare-tool-call.ts";
import { callTool } from "./call-tool.ts";

/** Calls that have begun while the rest of their reply still arrives. */
export interface EarlyCalls {
  /** Takes a call whose input is complete. The calls of a reply are offered in their order. */
  offer(call: ToolUseBlock): void;
  /** The output of a call that was begun, and since when it ran; undefined for every other one. */
  outputOf(toolUseId: string): EarlyCall | undefined;
  /** Resolves when it is settled of every call that was offered whether it began. */
  settled(): Promise<void>;
  /** Stops what was begun: the reply does not count. */
  discard(): void;
}

export interface EarlyCall {
  readonly startedAt: number;
  readonly output: Promise<ToolOutput>;
}

/**
 * Begins calls before their reply is whole: those alone that are proven to change nothing, and of these the ones in
 * front of every other call, because what comes behind one that changes something has to see the change. A call that
 * changes something waits until the reply is on record, so that a reply that breaks off has changed nothing.
 */
export function createEarlyCalls(params: { readonly tools: readonly Tool[]; readonly context: AgentContext; readonly signal: AbortSignal }): EarlyCalls {
  const controller = new AbortController();
  const signal = AbortSignal.any([params.signal, controller.signal]);
  const begun = new Map<string, EarlyCall>();
  let isOpen = true;
  let order: Promise<void> = Promise.resolve();

  async function consider(call: ToolUseBlock): Promise<void> {
    if (!isOpen || signal.aborted || begun.size >= EARLY_CALLS_MAX) return;
    const { plan, isConcurrencySafe } = await prepareToolCall(call, params);
    isOpen = isConcurrencySafe && plan.type === "run" && plan.isReadOnly;
    if (!isOpen || plan.type !== "run" || signal.aborted) return;
    begun.set(call.id, { startedAt: performance.now(), output: callTool(call, plan, { context: params.context, signal }) });
  }

  return {
    offer(call) {
      order = order.then(() => consider(call));
    },
    outputOf: (id) => begun.get(id),
    settled: () => order,
    discard() {
      isOpen = false;
      controller.abort();
    },
  };
}

const EARLY_CALLS_MAX = 16;
