import type { RunEvent, RunEventBody } from "../../core/stream-event.ts";
import { AppError } from "../../core/errors.ts";
import type { ExitReason } from "../../core/exit-code.ts";
import type { RunOutcome } from "../run-outcome.ts";
import type { EndLine, TapeLine } from "./cassette-line.ts";
import { createLooseComparison, type RunPlaces } from "./loose-text.ts";
import { createPlayer } from "./player.ts";
import { readCassette, type ReadCassette } from "./read-cassette.ts";
import { createRedactor } from "./redact.ts";
import { replayAgent } from "./replay-agent.ts";
import type { RunCassette } from "./run-cassette.ts";
import { eventIntoRun, sourceOf } from "./run-events-apart.ts";

/**
 * Makes a run out of a recording: no model is asked, no tool runs, and nothing is waited for. Throws an `AppError` of
 * reason `usage` where the recording cannot be replayed.
 */
export function createReplay({ path, places, env }: { readonly path: string; readonly places: RunPlaces; readonly env: Readonly<Record<string, string | undefined>> }): RunCassette {
  const cassette = readCassette(path);
  if (cassette.header.resumed === true) {
    throw new AppError("usage", `Cannot replay "${path}": its run went on with an earlier conversation, which is not in it`, { code: "resumed_cassette" });
  }
  const isSameText = createLooseComparison(cassette.header, places, createRedactor(env).text);
  const eventsAfter = Map.groupBy(cassette.lines.filter((line) => line.type === "event"), ({ after }) => after);
  let loopEvents = 0;
  let rootId: string | undefined;
  let hasMissed = false;
  let emit: ((body: RunEventBody) => void) | undefined;

  /** Tells what was told elsewhere in the run that was recorded, at the same place. */
  function tellOthers(id: string): void {
    for (const { body } of eventsAfter.get(loopEvents) ?? []) emit?.(eventIntoRun(body, id));
  }

  function hear(event: RunEvent): void {
    rootId ??= event.task_id;
    if (sourceOf(event, rootId) !== "loop") return;
    loopEvents++;
    tellOthers(rootId);
  }

  return {
    observe: (observer) => ({
      ...observer,
      onEvent(event, line) {
        observer.onEvent?.(event, line);
        hear(event);
      },
    }),
    agent(agent) {
      emit = agent.host.emit;
      tellOthers(agent.taskId);
      const player = createPlayer({
        path,
        agent: agent.path,
        lines: linesOf(cassette, agent.path),
        isWhole: cassette.end !== undefined,
        onMiss: () => {
          hasMissed = true;
        },
      });
      return replayAgent({ agent, player, isSameText });
    },
    outcome: (outcome) => (cassette.end === undefined ? outcome : withRecordedEnd(outcome, cassette.end)),
    result: (body) => (cassette.end === undefined || hasMissed ? body : { ...body, children: cassette.end.children }),
    close: () => undefined,
  };
}

function linesOf({ lines }: ReadCassette, agent: string): TapeLine[] {
  return lines.flatMap(({ agent: owner, ...line }): TapeLine[] => (owner !== agent || line.type === "event" ? [] : [line]));
}

/** Endings of a conversation that came to its end; which of them it is hangs on what tools did. */
const ENDED: ReadonlySet<ExitReason> = new Set(["ok", "schema", "child_failed"]);

/** An answer that a tool took and tasks that were not waited for are known to the recording alone. */
function withRecordedEnd(outcome: RunOutcome, end: EndLine): RunOutcome {
  if (!ENDED.has(outcome.reason) || !ENDED.has(end.reason)) return outcome;
  const { error: _error, structuredOutput: _output, ...rest } = outcome;
  const { error, result, structured_output: value } = end;
  return {
    ...rest,
    reason: end.reason,
    text: result,
    ...(value === null || value === undefined ? {} : { structuredOutput: { value } }),
    ...(error === undefined ? {} : { error: { code: error.code, message: error.message, retryable: error.retryable, requestId: error.request_id } }),
  };
}
