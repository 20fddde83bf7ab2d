import { expect, test } from "bun:test";
import { parseForkReport } from "../../src/agent/fork-report.ts";

test("a report in the form is read part by part, over several lines too", () => {
  expect(parseForkReport("\nScope: count the files\nResult: there are two:\n- a\n- b\nFiles: /a\n/b\nIssues: none\n")).toEqual({
    scope: "count the files",
    result: "there are two:\n- a\n- b",
    files: "/a\n/b",
    issues: "none",
  });
});

test.each([
  ["words before it", "Here it is.\nScope: a\nResult: b\nFiles: none\nIssues: none"],
  ["a part is missing", "Scope: a\nResult: b\nIssues: none"],
  ["a part is empty", "Scope: a\nResult: b\nFiles:\nIssues:"],
  ["the parts are in another order", "Result: b\nScope: a\nFiles: none\nIssues: none"],
  ["nothing was said", ""],
])("is none where %s", (_what, text) => {
  expect(parseForkReport(text)).toBeUndefined();
});

test("a long text that is no report is read in no time", () => {
  const startedAt = performance.now();
  expect(parseForkReport(`Scope: a\nResult: ${"\n Files: \n".repeat(20_000)}`)).toBeUndefined();
  expect(performance.now() - startedAt).toBeLessThan(1_000);
});
