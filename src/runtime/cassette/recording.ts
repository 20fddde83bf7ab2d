import { BUILD_INFO } from "../../core/build-info.ts";
import { CASSETTE_VERSION, type AgentPath } from "../../core/cassette.ts";
import { AppError } from "../../core/errors.ts";
import { wallClock } from "../../platform/wall-clock.ts";
import type { RunEvent } from "../../core/stream-event.ts";
import { runError } from "../run-outcome.ts";
import type { CassetteHeader, CassetteLine, EventLine, TapeLine } from "./cassette-line.ts";
import { openCassetteFile } from "./cassette-file.ts";
import type { RunPlaces } from "./loose-text.ts";
import { recordAgent } from "./record-agent.ts";
import { createRedactor } from "./redact.ts";
import type { RunCassette } from "./run-cassette.ts";
import { eventOutOfRun, sourceOf } from "./run-events-apart.ts";

/**
 * Records a run while it goes on. A recording that cannot be written any more ends there, and the run goes on to its end;
 * it is no success then. Throws as `openCassetteFile`.
 */
export function createRecording(params: {
  readonly path: string;
  readonly places: RunPlaces;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isResumed: boolean;
}): RunCassette {
  const redactor = createRedactor(params.env);
  const file = openCassetteFile(params.path, finished(headerOf(params)));
  let failure: AppError | undefined;
  let loopEvents = 0;
  let rootId: string | undefined;

  function finished(line: CassetteLine): object {
    return { ...redactor.value(line), ts: wallClock() };
  }

  function write(line: CassetteLine): void {
    if (failure !== undefined) return;
    try {
      file.append(finished(line));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      failure = error;
    }
  }

  const writerOf = (agent: AgentPath) => (line: TapeLine | EventLine) => write({ agent, ...line });

  function hear(event: RunEvent): void {
    rootId ??= event.task_id;
    if (event.type === "run.result") {
      const { exit, error, result, structured_output, children } = event;
      write({ type: "end", reason: exit.reason, ...(error === undefined ? {} : { error }), result, structured_output, children });
      return;
    }
    const source = sourceOf(event, rootId);
    if (source === "loop") loopEvents++;
    else if (source === "elsewhere") writerOf("root")({ type: "event", after: loopEvents, body: eventOutOfRun(event, rootId) });
  }

  return {
    observe: (observer) => ({
      ...observer,
      onEvent(event, line) {
        observer.onEvent?.(event, line);
        hear(event);
      },
    }),
    agent: (agent) => recordAgent({ agent, write: writerOf(agent.path), redactor }),
    outcome: (outcome) => (failure === undefined || outcome.reason !== "ok" ? outcome : { ...outcome, reason: failure.reason, error: runError(failure.code, failure.message) }),
    result: (body) => body,
    close: file.close,
  };
}

function headerOf({ places, isResumed }: { readonly places: RunPlaces; readonly isResumed: boolean }): CassetteHeader {
  return { v: CASSETTE_VERSION, type: "cassette", program: BUILD_INFO.version, ...places, ...(isResumed ? { resumed: true } : {}) };
}
