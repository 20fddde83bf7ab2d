import { expect } from "bun:test";
import { exitFor, statusFor } from "../../src/core/exit-code.ts";
import type { RunEvent, RunEventType } from "../../src/core/stream-event.ts";
import { runEventSchema } from "../../src/core/stream-event-schema.ts";

type EventOf<Type extends RunEventType> = Extract<RunEvent, { type: Type }>;

/**
 * The events of a whole stream, after everything that is promised about every stream has been checked: each line is
 * valid by the published schema, numbers go up by one, one run, `run.started` first and one `run.result` last.
 */
export function events(stream: string): RunEvent[] {
  expect(stream.endsWith("\n")).toBe(true);
  // A reader may take each of these for the end of a line.
  expect(stream).not.toMatch(/[\r\u2028\u2029]/);
  const found = stream.slice(0, -1).split("\n").map((line) => runEventSchema().parse(JSON.parse(line)));
  expect(found.map((event) => event.seq)).toEqual(found.map((_event, index) => index + 1));
  expect(new Set(found.map((event) => event.run_id)).size).toBe(1);
  expect(found[0]?.type).toBe("run.started");
  expect(found.flatMap((event, index) => (event.type === "run.result" ? [index] : []))).toEqual([found.length - 1]);
  return found;
}

export function eventsOfType<Type extends RunEventType>(all: readonly RunEvent[], type: Type): EventOf<Type>[] {
  return all.filter((event): event is EventOf<Type> => event.type === type);
}

/** The last event of a stream, or the one line of `--output-format json`. */
export function runResult(stdout: string): EventOf<"run.result"> {
  expect(stdout.endsWith("\n")).toBe(true);
  const event = runEventSchema().parse(JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? ""));
  if (event.type !== "run.result") throw new Error(`The last line is no run.result but ${event.type}`);
  // The process, the status and the reason never disagree.
  expect(event.exit).toEqual(exitFor(event.exit.reason));
  expect(event.status).toBe(statusFor(event.exit.reason));
  return event;
}
