import { SYNTHETIC_OUTPUT } from "./synthetic-output.ts";

/** How often the model may call the tool with an answer that does not fit. */
export const ANSWER_TRIES_MAX = 5;
/** How often a model that ends its turn without an answer is told that one is due. */
export const ANSWER_REMINDERS_MAX = 3;

/** What became of the answer that a run owes its user in the form of a schema. Holds no schema and judges nothing. */
export interface StructuredAnswer {
  /** Takes an answer that fits; a later one takes its place. */
  accept(value: unknown): void;
  /** Counts an answer that does not fit; says how many tries are left. */
  refuse(): number;
  hasTries(): boolean;
  /** Whether the loop is to end: there is an answer that nothing came after, or there are no tries left. */
  isSettled(): boolean;
  /** Something came after the answer: the loop goes on, and the answer stands until there is another one. */
  reopen(): void;
  /** The latest answer and its text, one line of JSON. */
  given(): { readonly value: unknown; readonly text: string } | undefined;
  /** What a model that ends its turn is to be told. Undefined where nothing is due or enough was said; counts what it says. */
  reminder(): string | undefined;
  /** Why there is no answer, as a sentence for the user. */
  failure(): string;
}

export function createStructuredAnswer(): StructuredAnswer {
  let answer: { readonly value: unknown; readonly text: string } | undefined;
  let isOpen = true;
  let refusals = 0;
  let reminders = 0;
  const hasTries = () => refusals < ANSWER_TRIES_MAX;
  return {
    accept(value) {
      answer = { value, text: JSON.stringify(value) };
      isOpen = false;
    },
    refuse() {
      refusals++;
      return ANSWER_TRIES_MAX - refusals;
    },
    hasTries,
    isSettled: () => !isOpen || !hasTries(),
    reopen() {
      isOpen = true;
    },
    given: () => answer,
    reminder() {
      if (answer !== undefined || !hasTries() || reminders === ANSWER_REMINDERS_MAX) return undefined;
      reminders++;
      return REMINDER;
    },
    failure: () =>
      hasTries()
        ? `The model ended its turn ${reminders + 1} times without giving an answer through ${SYNTHETIC_OUTPUT}`
        : `The model gave ${refusals} answers and none of them fits the schema of --json-schema`,
  };
}

const REMINDER = [
  "<structured-output>",
  `You ended your turn, but your answer is still missing: only what you pass to the tool ${SYNTHETIC_OUTPUT} counts as one. Call it now with your final answer.`,
  "</structured-output>",
].join("\n");
