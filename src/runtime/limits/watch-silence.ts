import type { AgentEvent } from "../../core/agent.ts";
import type { ModelClient } from "../../model/client.ts";
import { startIdleWatch } from "./idle-watch.ts";
import { watchedModel } from "./watched-model.ts";

/** Ends a run whose agents are silent for too long. */
export interface SilenceWatch {
  readonly watchModel: (model: ModelClient) => ModelClient;
  note(event: AgentEvent): void;
  /** What others take their time for is no silence of the agents. */
  during<Result>(work: () => Promise<Result> | Result): Promise<Result>;
  end(): void;
}

/** Calls that end by a time limit of their own, and may be silent until then. */
const SELF_BOUNDED_TOOLS: ReadonlySet<string> = new Set(["Bash", "TaskOutput"]);

/**
 * Counts as progress: every event of a reply, which pings are not, the beginning and the end of a call, and what else the
 * loop tells. A wait before the next try of a request is none of the silence, and neither is a call of `Bash` or
 * `TaskOutput`, which has a time limit of its own.
 */
export function watchSilence(options: Parameters<typeof startIdleWatch>[0]): SilenceWatch {
  const idle = startIdleWatch(options);
  return {
    watchModel: (model) => watchedModel(model, idle.touch),
    note(event) {
      idle.touch(event.type === "api_retry" ? event.delayMs : 0);
      if (event.type === "tool_started" && SELF_BOUNDED_TOOLS.has(event.call.name)) idle.hold(event.call.id);
      if (event.type === "tool_completed") idle.release(event.call.id);
    },
    async during(work) {
      const key = {};
      idle.hold(key);
      try {
        return await work();
      } finally {
        idle.release(key);
      }
    },
    end: idle.end,
  };
}
