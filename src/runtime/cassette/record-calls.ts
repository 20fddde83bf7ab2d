import type { RunCalls } from "../../agent/run-tool-calls.ts";
import type { AgentEvent } from "../../core/agent.ts";
import type { TapeLine } from "./cassette-line.ts";

/** Runs calls and records what came of them, once all of a reply are answered. */
export function recordCalls(runCalls: RunCalls, write: (line: TapeLine) => void): RunCalls {
  return async function* (calls, params) {
    const events: AgentEvent[] = [];
    const running = runCalls(calls, params);
    let step = await running.next();
    while (step.done !== true) {
      events.push(step.value);
      yield step.value;
      step = await running.next();
    }
    write({ type: "results", events, message: step.value });
    return step.value;
  };
}
