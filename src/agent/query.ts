import type { AgentContext, AgentEvent, AgentScene, StopReason } from "../core/agent.ts";
import { inputBlocks, inputDeliveries } from "./input-blocks.ts";
import { createLoopState } from "./loop-state.ts";
import { createFinalAnswer } from "./final-answer.ts";
import type { QueryParams } from "./loop-params.ts";
import { runTurn } from "./run-turn.ts";

/**
 * The loop of every agent: ask the model, do what it asks for, answer, until it asks for nothing more and nothing comes
 * in from outside.
 *
 * Yields what happens and returns why it ended. Expected failures are stop reasons; only a failing `record` and defects
 * are thrown. When it returns, the recorded conversation is one that the API accepts.
 */
export async function* query(params: QueryParams): AsyncGenerator<AgentEvent, StopReason> {
  const loop = createLoopState(params);
  const answer = createFinalAnswer();
  const { system, tools, thinking } = params;
  const context = inScene(params.context, () => ({ system, tools, ...(thinking === undefined ? {} : { thinking }), messages: loop.conversation.messages }));
  for (let turn = 1; turn <= params.turnsMax; turn++) {
    if (params.signal.aborted) return { type: "aborted", reason: params.signal.reason };
    yield { type: "turn_start", turn };
    const signal = AbortSignal.any([params.signal, params.input.turnSignal()]);
    const outcome = yield* runTurn(loop, { ...params, context, signal });
    if (outcome.type === "goes_on") {
      answer.workedOn();
      continue;
    }
    if (outcome.stop.type === "end_turn") answer.said(outcome.stop.text);
    const isInterrupted = outcome.stop.type === "aborted" && !params.signal.aborted;
    if (outcome.stop.type !== "end_turn" && !isInterrupted) return outcome.stop;

    const input = await params.input.next(isInterrupted ? "interrupted" : "ended");
    if (params.signal.aborted) return { type: "aborted", reason: params.signal.reason };
    // What is to be answered in another form has its own way of asking for it.
    if (input === undefined) return params.answer === undefined ? answer.settle(outcome.stop) : outcome.stop;
    answer.heard(input);
    await loop.conversation.add({ role: "user", content: inputBlocks(input) }, inputDeliveries(input));
  }
  return { type: "max_turns", maxTurns: params.turnsMax };
}

/** Where the agent works may change while the loop goes on. */
function inScene(context: AgentContext, scene: () => AgentScene): AgentContext {
  return {
    ...context,
    get cwd() {
      return context.cwd;
    },
    get directories() {
      return context.directories;
    },
    scene,
  };
}
