import { expect, test } from "bun:test";
import { parseTaskFilter } from "../../../src/cli/tasks/task-filter.ts";
import { AppError } from "../../../src/core/errors.ts";
import { sampleTask, taskId } from "../../support/sample-task.ts";
import { appErrorOf } from "../../support/thrown.ts";

const PARENT = taskId("a00000000");

function matches(filters: readonly string[], task = sampleTask({ name: "build", parentTaskId: PARENT })): boolean {
  return parseTaskFilter(filters, (text) => (text === "mother" ? PARENT : text)).matches(task);
}

test.each(["status=running", "type=local_bash", "name=build", "cwd=/project", "cwd=/project/", "parent=mother", "terminal=false"])("%s fits", (filter) => {
  expect(matches([filter])).toBe(true);
});

test.each(["status=failed", "type=dream", "name=buil", "cwd=/", `parent=${taskId("a11111111")}`, "terminal=true"])("%s does not fit", (filter) => {
  expect(matches([filter])).toBe(false);
});

test("several values of one key mean any of them, several keys mean all", () => {
  expect(matches(["status=failed", "status=running"])).toBe(true);
  expect(matches(["status=running", "type=dream"])).toBe(false);
  expect(matches([])).toBe(true);
});

test("only what may be about ended tasks looks at all of them", () => {
  const asks = (filter: string) => parseTaskFilter([filter], String).asksForEnded;
  expect(["status=failed", "terminal=true"].map(asks)).toEqual([true, true]);
  expect(["type=dream", "name=x", "cwd=/", "parent=x"].map(asks)).toEqual([false, false, false, false]);
});

test.each([
  ["state=failed", 'Cannot use "state=failed" for --filter: it takes KEY=VALUE with the key status, type, parent, name, cwd, terminal'],
  ["status", 'Cannot use "status" for --filter: it takes KEY=VALUE with the key status, type, parent, name, cwd, terminal'],
  ["status=runing", 'Cannot use "runing" for --filter status= (did you mean "running"?): it takes pending, running, completed, failed, killed'],
  ["terminal=yes", 'Cannot use "yes" for --filter terminal=: it takes true, false'],
])("%s is refused with what would be right", async (filter, message) => {
  const error = await appErrorOf(() => parseTaskFilter([filter], String));
  expect(error).toBeInstanceOf(AppError);
  expect(error).toMatchObject({ reason: "usage", message });
});
