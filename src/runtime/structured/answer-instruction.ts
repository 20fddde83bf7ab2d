import { SYNTHETIC_OUTPUT } from "../../core/synthetic-output.ts";
import type { AgentWork } from "../run-request.ts";

const INSTRUCTION = `When your work is done, call the tool ${SYNTHETIC_OUTPUT} once with your final answer as its input: only what you pass to it reaches the user.`;

/**
 * The system prompt of a run, with how to answer where a schema asks for it. A block of its own at the end: what stands
 * before keeps its bytes, and a conversation that is resumed has it once.
 */
export function withAnswerInstruction(system: readonly string[], work: AgentWork): readonly string[] {
  return work.outputSchema === undefined || system.includes(INSTRUCTION) ? system : [...system, INSTRUCTION];
}
