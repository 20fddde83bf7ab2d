import { createHash } from "node:crypto";
import { EVENT_VERSION } from "../core/event-version.ts";
import type { RunEvent, RunEventBody } from "../core/stream-event.ts";
import { crashPoint } from "../platform/test-hooks/crash-point.ts";
import { encodeEventLine } from "../store/event-log.ts";
import type { RunResult, RunResultBody } from "./run-result.ts";

/** The longest line of the stream; a larger payload stands in a file that the line names. */
const EVENT_LINE_BYTES_MAX = 1_048_576;

export interface RunEvents {
  /** Numbers an event, makes it durable, then hands it on. Never throws: the log decides nothing. */
  emit(body: RunEventBody): void;
  /** The same for the last event of the run; returns it as it went out. */
  emitResult(body: RunResultBody): RunResult;
}

/** An event as it goes out: the object and its one line, line feed included. */
export type OnRunEvent = (event: RunEvent, line: string) => void;

/**
 * The numbered event stream of one run.
 *
 * @param params.prologue makes the first event, `run.started`, when the id of the root task is known
 * @param params.append puts a line into the durable log
 * @param params.store keeps the payload of an event that is too large for a line, and says where
 * @param params.onFailure called once when the log cannot be written
 */
export function createRunEvents(params: {
  readonly runId: string;
  readonly now: () => number;
  readonly prologue: (rootTaskId: string) => RunEventBody;
  readonly append: (line: string) => void;
  readonly store: (seq: number, payload: string) => string;
  readonly onEvent: OnRunEvent;
  readonly onFailure: (error: unknown) => void;
}): RunEvents {
  let seq = 0;
  let hasFailed = false;

  function send<Body extends RunEventBody>(body: Body): Stamped<Body> {
    seq++;
    const whole = stamp(body, { seq, ts: params.now(), run_id: params.runId });
    let line = encodeEventLine(whole);
    if (line.length > EVENT_LINE_BYTES_MAX / 3 && Buffer.byteLength(line) > EVENT_LINE_BYTES_MAX) {
      const payload = JSON.stringify(whole);
      const file = attempt(() => params.store(seq, payload));
      line = encodeEventLine({ ...whole, ...emptied(whole), ...(file === undefined ? {} : { ref: reference(file, payload) }) });
    }
    if (TEST_HOOKS) crashPoint("before-event");
    attempt(() => params.append(line));
    if (TEST_HOOKS) crashPoint("after-event");
    params.onEvent(whole, line);
    return whole;
  }

  function attempt<T>(action: () => T): T | undefined {
    try {
      return action();
    } catch (error) {
      if (!hasFailed) params.onFailure(error);
      hasFailed = true;
      return undefined;
    }
  }

  return {
    emit(body) {
      if (seq === 0) send(params.prologue(body.task_id));
      send(body);
    },
    emitResult: (body) => send(body),
  };
}

type Stamped<Body> = Body & { readonly v: typeof EVENT_VERSION; readonly seq: number; readonly ts: number; readonly run_id: string };

/** Sequence first in the line, so that a reader can search by it without parsing. */
function stamp<Body extends RunEventBody>(body: Body, mark: { readonly seq: number; readonly ts: number; readonly run_id: string }): Stamped<Body> {
  const { task_id, parent_task_id, type, ...payload } = body;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- taking a generic object apart and putting it together again is beyond the compiler
  return { v: EVENT_VERSION, ...mark, task_id, parent_task_id, type, ...payload } as unknown as Stamped<Body>;
}

/** The fields that may be large, emptied. */
function emptied(event: { readonly type: string }): Record<string, unknown> {
  switch (event.type) {
    case "message.completed":
      return { content: [] };
    case "tool.started":
      return { input: null };
    case "tool.completed":
      return { content: "" };
    case "run.result":
      return { result: "", structured_output: null, children: [] };
    default:
      return {};
  }
}

function reference(file: string, payload: string) {
  return {
    file,
    offset: 0,
    bytes: Buffer.byteLength(payload),
    sha256: createHash("sha256").update(payload).digest("hex"),
  };
}
