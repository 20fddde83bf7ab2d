import type { QueryParams } from "../../agent/loop-params.ts";
import type { RunCalls } from "../../agent/run-tool-calls.ts";
import type { AgentEvent } from "../../core/agent.ts";
import type { TaskId } from "../../core/task.ts";
import type { ModelClient } from "../../model/client.ts";
import type { OpenRun } from "../open-run.ts";
import type { RunParams } from "../run-params.ts";
import type { AgentWork, RunRequest, RunStop } from "../run-request.ts";
import { loadRunBudget, loadSilenceWatch } from "./registry.ts";

/** What keeps the agents of a run within its limits. One for all of them. */
export interface RunLimits {
  readonly query: Pick<QueryParams, "budget" | "taskBudgetTokens" | "waitMsMax" | "startsCallsEarly">;
  /** Makes what answers calls keep to the limit of calls; nothing changes where there is none. */
  readonly limitCalls: (runCalls?: RunCalls) => Pick<QueryParams, "runCalls">;
  readonly watchModel: (model: ModelClient) => ModelClient;
  /** Takes note of an event, then hands it on. */
  readonly onAgentEvent: (event: AgentEvent, next: (event: AgentEvent) => Promise<void> | void) => Promise<void> | void;
  /** Whoever is asked may take any time. */
  readonly whileAsking: <Answer>(ask: () => Promise<Answer>) => Promise<Answer>;
  end(): void;
}

/** Begins to watch over a run. Loads only what its limits need. */
export async function startRunLimits(params: {
  readonly run: Pick<OpenRun, "host" | "warn">;
  readonly taskId: TaskId;
  readonly request: Pick<RunRequest, "idleTimeoutMs">;
  readonly work: AgentWork;
  readonly controller: RunParams["controller"];
}): Promise<RunLimits> {
  const { run, taskId, request, work, controller } = params;
  const { budget: limits, prices = {}, taskBudgetTokens, waitMsMax } = work;
  const stop = (reason: RunStop) => controller.abort(reason);
  const open = limits === undefined ? undefined : (await loadRunBudget()).openRunBudget({ limits, prices, taskId, parentId: work.resume?.subagent?.parentTaskId ?? null, emit: run.host.emit, warn: run.warn, stop });
  const { idleTimeoutMs: limitMs } = request;
  const silence = limitMs === undefined ? undefined : (await loadSilenceWatch()).watchSilence({ limitMs, activeMs: run.host.activeMs, stop });

  function note(event: AgentEvent): void {
    silence?.note(event);
    if (event.type === "model_fallback") run.warn(`Went on with the model "${event.to}" instead of "${event.from}": ${event.reason}`);
    // A summary is asked for without a reservation.
    if (event.type === "side_request" && event.purpose === "summary") open?.budget.charge(event.model, event.usage);
  }

  return {
    query: {
      ...(open === undefined ? {} : { budget: open.budget }),
      ...(taskBudgetTokens === undefined ? {} : { taskBudgetTokens }),
      ...(waitMsMax === undefined ? {} : { waitMsMax }),
      // What begins while its reply arrives is not counted yet.
      ...(open?.limitCalls === undefined ? {} : { startsCallsEarly: false }),
    },
    limitCalls(runCalls) {
      const limited = open?.limitCalls?.(runCalls) ?? runCalls;
      return limited === undefined ? {} : { runCalls: limited };
    },
    watchModel: (model) => silence?.watchModel(model) ?? model,
    onAgentEvent(event, next) {
      note(event);
      // A reader that is slow does not stall the agent.
      return silence === undefined ? next(event) : silence.during(() => next(event));
    },
    whileAsking: (ask) => silence?.during(ask) ?? ask(),
    end: () => silence?.end(),
  };
}
