import { describe, expect, test } from "bun:test";
import { approvedContext } from "../../src/agent/approved-context.ts";
import type { PermissionAnswer, ToolAccess, Verdict } from "../../src/core/permission.ts";
import { agentContext } from "../support/agent-context.ts";
import { reply, runScriptedQuery, testTool } from "../support/scripted-query.ts";
import { tempDir } from "../support/temp-dir.ts";

const OPEN: Verdict = { behavior: "ask", reason: "nobody allowed it" };
const YES: PermissionAnswer = { isFromUser: true, verdict: { behavior: "allow", layer: "user", reason: "yes" } };
const NO: PermissionAnswer = { isFromUser: true, verdict: { behavior: "deny", layer: "user", reason: "The user refused this call" } };
const calls = reply({ id: "t1", tool: "Echo", input: { value: "one" } }, { id: "t2", tool: "Echo", input: { value: "two" } });

describe("a call that nothing allows and nothing forbids", () => {
  test("runs when a person allows it, and the record says so", async () => {
    const run = await runScriptedQuery([reply({ id: "t1", tool: "Echo" }), reply("done")], {
      tools: [testTool("Echo", () => "echoed")],
      permit: () => OPEN,
      ask: async () => YES,
    });
    expect(run.requests[1]?.messages.at(-1)?.content).toEqual([{ type: "tool_result", tool_use_id: "t1", content: "echoed" }]);
    expect(run.events.filter(({ type }) => type.startsWith("permission"))).toEqual([
      { type: "permission_asked", call: expect.anything(), verdict: OPEN },
      { type: "permission_allowed", call: expect.anything(), verdict: YES.verdict },
    ]);
  });

  test("is a refused one when they refuse it", async () => {
    const run = await runScriptedQuery([reply({ id: "t1", tool: "Echo" }), reply("done")], {
      tools: [testTool("Echo", () => "echoed")],
      permit: () => OPEN,
      ask: async () => NO,
    });
    expect(run.requests[1]?.messages.at(-1)?.content).toMatchObject([{ is_error: true, content: "Permission denied: The user refused this call" }]);
    expect(run.events.find(({ type }) => type === "permission_denied")).toMatchObject({ denial: { tool: "Echo", layer: "user", rule: null } });
  });

  test("is asked about once, although it waits for a harmless one before it", async () => {
    const asked: string[] = [];
    const run = await runScriptedQuery([reply({ id: "t1", tool: "Look" }, { id: "t2", tool: "Echo" }), reply("done")], {
      tools: [testTool("Look", () => "seen", { isConcurrencySafe: true }), testTool("Echo", () => "echoed")],
      permit: (tool) => (tool === "Echo" ? OPEN : { behavior: "allow", reason: "" }),
      ask: async ({ tool }) => {
        asked.push(tool.name);
        return YES;
      },
    });
    expect(run.stop.type).toBe("end_turn");
    expect(asked).toEqual(["Echo"]);
  });

  test.each([[true], [false]])("is asked about alone (side by side: %p)", async (isConcurrencySafe) => {
    let open = 0;
    let most = 0;
    await runScriptedQuery([calls, reply("done")], {
      tools: [testTool("Echo", () => "echoed", { isConcurrencySafe })],
      permit: () => OPEN,
      ask: async () => {
        most = Math.max(most, ++open);
        await new Promise((resolve) => setImmediate(resolve));
        open--;
        return YES;
      },
    });
    expect(most).toBe(1);
  });

  test("is not asked about once the turn is stopped, and all calls are answered", async () => {
    const controller = new AbortController();
    let questions = 0;
    const run = await runScriptedQuery([calls], {
      tools: [testTool("Echo", () => "echoed")],
      permit: () => OPEN,
      signal: controller.signal,
      ask: async () => {
        questions++;
        controller.abort("stop");
        return NO;
      },
    });
    expect(run.stop).toEqual({ type: "aborted", reason: "stop" });
    expect(questions).toBe(1);
    expect(run.recorded.at(-1)).toMatchObject({ role: "user", content: [{ tool_use_id: "t1", is_error: true }, { tool_use_id: "t2", is_error: true }] });
  });
});

test("what is forbidden is never asked about", async () => {
  const run = await runScriptedQuery([reply({ id: "t1", tool: "Echo" }), reply("done")], {
    tools: [testTool("Echo", () => "echoed")],
    permit: () => ({ behavior: "deny", reason: "a rule forbids it" }),
    ask: () => Promise.reject(new Error("asked")),
  });
  expect(run.requests[1]?.messages.at(-1)?.content).toMatchObject([{ content: "Permission denied: a rule forbids it" }]);
});

describe("an approval", () => {
  const tool = testTool("Write", () => "");
  const allowed: Verdict = { behavior: "allow", layer: "user", reason: "yes" };

  test.each<[string, ToolAccess, string]>([
    ["holds for what was asked about", { kind: "write", path: "new.txt" }, "allow"],
    ["holds for no other path", { kind: "write", path: "other.txt" }, "ask"],
    ["does not undo what forbids the call", { kind: "write", path: "denied.txt" }, "deny"],
  ])("%s", (_what, access, behavior) => {
    using directory = tempDir();
    const at = (each: ToolAccess): ToolAccess => ("path" in each ? { ...each, path: `${directory.path}/${each.path}` } : each);
    const context = agentContext(directory.path, { mode: "default", rules: [{ behavior: "deny", tool: "Write", spec: "denied.txt", layer: "flag" }] });
    const plain = { ...context, checkPermission: (each: Parameters<typeof context.checkPermission>[0], its: ToolAccess): Verdict => reasked(context.checkPermission(each, its)) };
    const approved = approvedContext(plain, tool, { access: at({ kind: "write", path: access.kind === "write" && access.path === "denied.txt" ? "denied.txt" : "new.txt" }), verdict: allowed });
    expect(approved.checkPermission(tool, at(access)).behavior).toBe(behavior as Verdict["behavior"]);
    expect(approved.checkPermission(testTool("Edit", () => ""), at({ kind: "write", path: "new.txt" })).behavior).toBe("ask");
  });
});

/** The context of tests takes a question for a refusal. */
function reasked(verdict: Verdict): Verdict {
  return verdict.behavior === "deny" && verdict.rule === undefined ? { ...verdict, behavior: "ask" } : verdict;
}
