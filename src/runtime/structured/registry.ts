/** What a run needs that owes an answer of a given form: a validator most of all. */
export const loadStructuredOutput = () => import("./structured-output.ts");
