import { z } from "zod";
import type { Tool } from "../core/agent.ts";
import type { StructuredAnswer } from "../core/structured-answer.ts";
import type { TaskId } from "../core/task.ts";
import { SYNTHETIC_OUTPUT } from "../core/synthetic-output.ts";
import { isRecord } from "../lib/is-record.ts";
import { compileJsonSchema, type SchemaProblem } from "../lib/json-schema/compile-json-schema.ts";
import type { JsonObject } from "../lib/json-schema/map-schemas.ts";
import { answerSchema, WRAPPED_ANSWER } from "./answer-schema.ts";
import description from "./synthetic-output.md" with { type: "text" };

/** How many problems of an answer are named. */
const PROBLEMS_MAX = 20;

/**
 * The tool that takes the answer of a run and holds it against the user's schema, which has been checked before.
 *
 * @param params.agentId the agent that was asked
 */
export function createSyntheticOutputTool({ schema, answer, agentId }: { readonly schema: JsonObject; readonly answer: StructuredAnswer; readonly agentId: TaskId }): Tool {
  const { inputSchema, isWrapped } = answerSchema(schema);
  const problemsOf = compileJsonSchema(schema, { isChecked: true });

  function inputProblems(input: unknown): SchemaProblem[] {
    if (!isWrapped) return problemsOf(input);
    if (!isRecord(input) || !Object.hasOwn(input, WRAPPED_ANSWER)) return [{ pointer: `/${WRAPPED_ANSWER}`, problem: `is missing: the answer belongs there` }];
    return problemsOf(input[WRAPPED_ANSWER]).map(({ pointer, problem }) => ({ pointer: `/${WRAPPED_ANSWER}${pointer}`, problem }));
  }

  return {
    name: SYNTHETIC_OUTPUT,
    description,
    // The input goes on as it came: a copy could lose members.
    inputSchema: () => z.unknown(),
    inputJsonSchema: inputSchema,
    access: () => ({ kind: "none" }),
    isReadOnly: () => false,
    isConcurrencySafe: () => false,
    maxResultBytes: 20_000,
    async call(input, caller) {
      // A fork has the tool because its parent has; the answer of the run is not its own.
      if (caller.agentId !== agentId) return { content: "Not taken: only the agent that was asked gives the answer; say yours in your last message", isError: true };
      if (!answer.hasTries()) return { content: "Not taken: there are no tries left", isError: true };
      const problems = inputProblems(input);
      if (problems.length > 0) return { content: refusal(problems, answer.refuse()), isError: true };
      answer.accept(isWrapped && isRecord(input) ? input[WRAPPED_ANSWER] : input);
      return { content: "The answer fits the schema and is on record" };
    },
  };
}

function refusal(problems: readonly SchemaProblem[], triesLeft: number): string {
  const rest = problems.length - PROBLEMS_MAX;
  return [
    "The answer does not fit the schema:",
    ...problems.slice(0, PROBLEMS_MAX).map(({ pointer, problem }) => `- ${pointer === "" ? "the whole answer" : pointer}: ${problem}`),
    ...(rest > 0 ? [`- and ${rest} more`] : []),
    triesLeft > 0 ? `Mend it and call ${SYNTHETIC_OUTPUT} again; tries left: ${triesLeft}` : "There are no tries left",
  ].join("\n");
}
