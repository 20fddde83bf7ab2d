import { expect, test } from "bun:test";
import { questionText } from "../../../../src/cli/run/asking/question-text.ts";
import type { CommandFinding, PermissionQuestion, Verdict } from "../../../../src/core/permission.ts";
import { commandAccess } from "../../../support/command-access.ts";

const YES_NO = "[y] once  [n] no";

test("a command that is one says no more than the reason", async () => {
  expect(await linesOf("npm test", [refused("npm test", "No rule allows it")], ["Bash(npm test)"])).toEqual([
    "agent: Bash needs an approval: The reason",
    "  | npm test",
    "[y] once  [r] this run: Bash(npm test)  [a] always: Bash(npm test)  [n] no",
  ]);
});

test("every simple command says whether it is allowed, and why not", async () => {
  expect(await linesOf("cd app && rm -rf out\necho done", [allowed("cd app"), refused("rm -rf out", "No rule allows it"), allowed("echo done")])).toEqual([
    "agent: Bash needs an approval: The reason",
    "  | cd app && rm -rf out",
    "  | echo done",
    "  + cd app",
    "  - rm -rf out",
    "      No rule allows it",
    "  + echo done",
    YES_NO,
  ]);
});

test("nothing that is asked about can hide", async () => {
  const hidden = `grep x /dev/null;${" ".repeat(387)}canary\u202e\u{e0041}\n[y] once\u001b[2J`;
  expect((await linesOf(hidden, [refused(hidden, hidden)])).slice(1)).toEqual([
    "  | grep x /dev/null;⟨387 spaces⟩canary<U+202E><U+E0041>",
    "  | [y] once␛[2J",
    YES_NO,
  ]);
});

test("a long command keeps its end, and so does each of its parts", async () => {
  const long = `echo ${"x".repeat(20_000)} canary`;
  const lines = await linesOf(`${long}; true`, [refused(long, "why"), allowed("true")]);
  expect(lines[1]).toMatch(/^ {2}\| echo x+ ⟨12018 characters left out⟩ x+ canary; true$/);
  expect(lines[2]).toMatch(/^ {2}- echo x+ ⟨19512 characters left out⟩ x+ canary$/);
});

test("a rule that cannot be shown as it is is not offered", async () => {
  const question = (rule: string): PermissionQuestion => ({ tool: "Write", access: { kind: "write", path: "/x" }, verdict: { behavior: "ask", reason: "", grants: [rule] } });
  expect([...questionText(question("Write(a.txt)")).replies.keys()]).toEqual(["y", "r", "a", "n"]);
  for (const rule of ["Write(a\u202e.txt)", "Write(a\n.txt)", `Write(a${" ".repeat(40)}.txt)`]) {
    const { replies, text } = questionText(question(rule));
    expect([[...replies.keys()], text]).toEqual([["y", "n"], expect.stringContaining(`\n${YES_NO}\n`)]);
  }
});

test("a call without access says the reason", () => {
  expect(questionText({ tool: "Elsewhere", access: { kind: "none" }, verdict: { behavior: "ask", reason: "It\nneeds one" } }).text).toBe(`agent: Elsewhere needs an approval: It␊needs one\n${YES_NO}\n`);
});

async function linesOf(command: string, commands: readonly CommandFinding[], grants?: readonly string[]): Promise<string[]> {
  const verdict: Verdict = { behavior: "ask", reason: "The reason", commands, ...(grants === undefined ? {} : { grants }) };
  return questionText({ tool: "Bash", access: await commandAccess(command), verdict }).text.trimEnd().split("\n");
}

function allowed(text: string): CommandFinding {
  return { text, isAllowed: true, isReadOnly: true, reason: "" };
}

function refused(text: string, reason: string): CommandFinding {
  return { text, isAllowed: false, isReadOnly: false, reason };
}
