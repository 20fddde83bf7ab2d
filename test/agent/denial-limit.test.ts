import { describe, expect, test } from "bun:test";
import { callAtDenialLimit, DENIALS_OF_ONE_CALL_MAX, type RefusedCall } from "../../src/agent/denial-limit.ts";
import type { Verdict } from "../../src/core/permission.ts";
import { reply, runScriptedQuery, testTool } from "../support/scripted-query.ts";

const DENIED: Verdict = { behavior: "ask", reason: "nobody allowed it", flag: "--allow Echo" };
const tools = [testTool("Echo", () => "never"), testTool("Other", () => "never")];
const permit = () => DENIED;

describe("calls that were refused", () => {
  test.each([
    ["none", [], undefined],
    ["one too few", ["A 1", "A 1"], undefined],
    ["as many as may be", ["A 1", "A 1", "A 1"], 2],
    ["others between them", ["A 1", "B 1", "A 2", "A 1", "B 1", "A 1", "B 1"], 5],
    ["many different ones", ["A 1", "A 2", "A 3", "A 4", "B 1", "B 2"], undefined],
  ])("%s", (_what, calls, index) => {
    const refused = calls.map((call, position) => refusedCall(call, position));
    expect(callAtDenialLimit(refused)).toBe(index === undefined ? undefined : refused[index]);
  });
});

describe("an agent that repeats a refused call", () => {
  test("is stopped at the limit, with every call answered, and told why", async () => {
    const turns = [1, 2, 3].map((turn) => reply({ id: `a${turn}`, tool: "Echo", input: { value: "x" } }, { id: `b${turn}`, tool: "Other", input: { value: String(turn) } }));
    const run = await runScriptedQuery([...turns, reply("never asked")], { tools, permit });
    expect(run.stop).toEqual({ type: "denial_limit", message: "Stopped: the same call of Echo was refused 3 times: nobody allowed it; --allow Echo would allow it" });
    expect(run.requests).toHaveLength(DENIALS_OF_ONE_CALL_MAX);
    expect(run.recorded.at(-1)).toMatchObject({ role: "user", content: [{ tool_use_id: "a3" }, { tool_use_id: "b3" }] });
  });

  test("is stopped within one turn, too", async () => {
    const run = await runScriptedQuery([reply({ id: "t1", tool: "Echo" }, { id: "t2", tool: "Echo" }, { id: "t3", tool: "Echo" })], { tools, permit });
    expect(run.stop.type).toBe("denial_limit");
  });

  test("goes on as long as it tries something else", async () => {
    const turns = [1, 2, 3, 4].map((turn) => reply({ id: `t${turn}`, tool: "Echo", input: { value: String(turn) } }));
    const run = await runScriptedQuery([...turns, reply("done")], { tools, permit });
    expect(run.stop).toEqual({ type: "end_turn", text: "done" });
  });

  test("is stopped at the first refusal where that is asked for", async () => {
    const run = await runScriptedQuery([reply({ id: "t1", tool: "Echo" }, { id: "t2", tool: "Echo" }, { id: "t3", tool: "Echo" })], { tools, permit, stopOnDenial: true });
    expect(run.stop).toEqual({ type: "permission_denied", message: "nobody allowed it" });
  });
});

/** @param call the tool and what tells its input from others */
function refusedCall(call: string, position: number): RefusedCall {
  const [tool = "", inputDigest = ""] = call.split(" ");
  return { verdict: DENIED, denial: { tool, inputDigest, toolUseId: `t${position}`, rule: null, layer: null, reason: "" } };
}
