import { expect, test } from "bun:test";
import { createEventFilter } from "../../../src/cli/tasks/event-filter.ts";
import { RUN_EVENT_TYPES } from "../../../src/core/stream-event.ts";
import { appErrorOf } from "../../support/thrown.ts";

const LINES = ['{"seq":1,"type":"run.started"}', '{"seq":2,"type":"log"}', "{damaged", '{"seq":3,"type":"run.result"}'];

function kept(options: Parameters<typeof createEventFilter>[0]): string[] {
  const isWanted = createEventFilter(options);
  return LINES.filter((line) => isWanted(Buffer.from(`${line}\n`)));
}

test("without conditions everything is wanted", () => {
  expect(kept({})).toEqual(LINES);
});

test("only events with a higher number, only the named types; a damaged line is never held back", () => {
  expect(kept({ since: 1 })).toEqual(LINES.slice(1));
  expect(kept({ since: 3 })).toEqual(["{damaged"]);
  expect(kept({ types: "run.started, run.result" })).toEqual([LINES[0] ?? "", "{damaged", LINES[3] ?? ""]);
  expect(kept({ since: 1, types: "run.started" })).toEqual(["{damaged"]);
});

test("a type that there is none of is refused, with the one that was probably meant", async () => {
  expect(await appErrorOf(() => createEventFilter({ types: "log,run.resul" }))).toMatchObject({ reason: "usage", message: expect.stringContaining('did you mean "run.result"?') });
  for (const type of RUN_EVENT_TYPES) expect(createEventFilter({ types: type })(Buffer.from(`{"type":"${type}"}`))).toBe(true);
});
