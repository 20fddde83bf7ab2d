import type { TurnInput } from "../../agent/turn-input.ts";
import type { Tool } from "../../core/agent.ts";
import type { StructuredAnswer } from "../../core/structured-answer.ts";
import { SYNTHETIC_OUTPUT } from "../../core/synthetic-output.ts";
import type { TaskId } from "../../core/task.ts";
import type { JsonObject } from "../../lib/json-schema/map-schemas.ts";
import { createSyntheticOutputTool } from "../../tools/synthetic-output.ts";
import { runError, type RunOutcome } from "../run-outcome.ts";

/** What a session that owes an answer of a given form has beside what every session has. */
export interface StructuredOutput {
  /** Stands behind all other tools. */
  readonly tool: Tool;
  /** What comes in, so that nothing comes into a conversation that has its answer without being heard. */
  readonly input: TurnInput;
  /** For the loop: the text to end with, once there is nothing more to ask the model for. */
  readonly answer: () => string | undefined;
  /** Makes of an outcome what it is with the answer, or without. `lastText` is the last that the model said. */
  settle(outcome: RunOutcome, lastText: string): RunOutcome;
}

export function createStructuredOutput({ input, ...asked }: { readonly schema: JsonObject; readonly answer: StructuredAnswer; readonly agentId: TaskId; readonly input: TurnInput }): StructuredOutput {
  const { answer } = asked;
  return {
    tool: createSyntheticOutputTool(asked),
    input: {
      // What comes now would stand behind the last request; when the turn has ended it is asked for again.
      pending: async () => (answer.isSettled() ? [] : await input.pending()),
      async next(why) {
        if (!answer.hasTries()) return undefined;
        const news = await input.next(why);
        if (news === undefined || answer.given() === undefined) return news;
        answer.reopen();
        return [...news, { text: STANDS }];
      },
      turnSignal: () => input.turnSignal(),
    },
    answer: () => (answer.isSettled() ? (answer.given()?.text ?? "") : undefined),
    settle(outcome, lastText) {
      const given = answer.given();
      if (given !== undefined) return { ...outcome, text: given.text, structuredOutput: { value: given.value } };
      const { reason, text } = outcome;
      // What went wrong first says more.
      return reason === "ok" ? { ...outcome, reason: "schema", error: runError("schema", answer.failure()), text: text === "" ? lastText : text } : outcome;
    },
  };
}

const STANDS = [
  "<structured-output>",
  `The answer that you gave through ${SYNTHETIC_OUTPUT} stands. Where this changes it, call the tool again with the whole answer; otherwise end your turn.`,
  "</structured-output>",
].join("\n");
