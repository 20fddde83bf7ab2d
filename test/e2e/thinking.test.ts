import { describe, expect, test } from "bun:test";
import { agentCall, sendMessage, service, startRoles, taskRows } from "../support/agent-roles.ts";
import { reply, text, thinking, type ApiRefusal } from "../support/api-reply.ts";
import { expectGoesOn } from "../support/expect-goes-on.ts";
import { startScriptedApi, type ApiRequest } from "../support/scripted-api-server.ts";
import { agentUser } from "../support/spawn-agent.ts";

const BYPASS = ["run", "--permission-mode", "bypassPermissions"];
const REPORT = "Scope: all\nResult: done\nFiles: none\nIssues: none";
const ADAPTIVE = { thinking: { type: "adaptive" }, output_config: { effort: "low" } };

function asked(request: ApiRequest | undefined) {
  return { thinking: request?.body["thinking"], output_config: request?.body["output_config"] };
}

describe("how much the agent of a run thinks", () => {
  test("is up to the model unless the user says so by flag, variable, setting or definition", async () => {
    using user = agentUser();
    await using api = startScriptedApi({ turns: () => reply(text("ok")) });
    const env = service(api);
    await user.run(["run", "hi"], { env });
    await user.run(["run", "--thinking", "low", "hi"], { env });
    await user.run(["run", "hi"], { env: { ...env, AGENT_THINKING: "low" } });
    await user.run(["config", "set", "thinking", "low"], { env });
    await user.run(["run", "hi"], { env });
    await user.run(["run", "--thinking", "inherit", "hi"], { env });
    const agents = JSON.stringify({ deep: { description: "d", prompt: "Think.", thinking: 2_048 } });
    await user.run(["run", "-m", "claude-haiku-4-5", "--agents", agents, "--agent", "deep", "hi"], { env });
    const nothing = { thinking: undefined, output_config: undefined };
    expect(api.requests.map(asked)).toEqual([nothing, ADAPTIVE, ADAPTIVE, ADAPTIVE, nothing, { ...nothing, thinking: { type: "enabled", budget_tokens: 2_048 } }]);
  });

  test("stays as it was where a conversation goes on, with the bytes of before", async () => {
    using user = agentUser();
    await using api = startScriptedApi({ turns: () => reply(thinking("hm", "c2lnbmF0dXJl"), text("ok")) });
    const env = service(api);
    await user.run(["run", "--name", "one", "--thinking", "low", "hi"], { env });
    await user.run(["resume", "one", "and?"], { env });
    await user.run(["resume", "--thinking", "high", "one", "and?"], { env });
    await user.run(["send", "--wait", "one", "and?"], { env: { ...env, AGENT_THINKING: "off" } });
    expect(api.requests.map((request) => (asked(request).output_config as { readonly effort: string }).effort)).toEqual(["low", "low", "high", "high"]);
    expectGoesOn(api.requests[1], api.requests[0]);
  });

  test("that is no such thing is refused, and what changes nothing is said", async () => {
    using user = agentUser();
    await using api = startScriptedApi({ turns: () => reply(text("ok")) });
    for (const word of ["deep", "1023", "0", "-1", "1e4", ""]) expect((await user.run(["run", `--thinking=${word}`, "hi"], { env: service(api) })).exitCode).toBe(2);
    const always = await user.run(["run", "-m", "claude-opus-5-5", "--thinking", "off", "hi"], { env: service(api) });
    expect([always.exitCode, always.stderr.includes("always thinks")]).toEqual([0, true]);
    expect(api.requests.length).toBe(1);
  });

  test("is left to a server that does not know of it", async () => {
    using user = agentUser();
    const refusal: ApiRefusal = { status: 400, type: "invalid_request_error", message: "thinking: Extra inputs are not permitted" };
    await using api = startScriptedApi({ turns: (request) => (request.body["thinking"] === undefined ? reply(text("ok")) : refusal) });
    expect(await user.run(["run", "--thinking", "low", "hi"], { env: service(api) })).toMatchObject({ exitCode: 0, stdout: "ok\n" });
    expect(api.requests.map(({ body }) => body["thinking"] === undefined)).toEqual([false, true]);
  });
});

describe("a subagent", () => {
  test("thinks as little as its model can, whatever its parent does, unless its definition says otherwise", async () => {
    using user = agentUser();
    const agents = JSON.stringify({ as: { description: "d", prompt: "Be.", thinking: "inherit" }, more: { description: "d", prompt: "Be.", thinking: "high" } });
    const call = (word: string, more: Record<string, unknown> = {}) => agentCall(`${word} work`, more);
    await using api = startRoles({
      ROOT: [reply(call("PLAIN"), call("OPUS", { model: "opus" }), call("HAIKU", { model: "haiku" }), call("SAME", { subagent_type: "as" }), call("MORE", { subagent_type: "more" })), reply(text("done"))],
      ...Object.fromEntries(["PLAIN", "OPUS", "HAIKU", "SAME", "MORE"].map((word) => [word, [reply(text("ok"))]])),
    });
    expect((await user.run([...BYPASS, "--thinking", "low", "--agents", agents, "ROOT go"], { env: service(api) })).exitCode).toBe(0);
    const of = (role: string) => asked(api.of(role)[0]);
    expect([of("ROOT"), of("SAME")]).toEqual([ADAPTIVE, ADAPTIVE]);
    expect(of("MORE")).toEqual({ ...ADAPTIVE, output_config: { effort: "high" } });
    // What each model is told to think as little as it can.
    expect([of("PLAIN").thinking, of("OPUS").thinking, of("HAIKU").thinking]).toEqual([{ type: "between_tools" }, undefined, { type: "disabled" }]);
  });

  test("thinks in the same way when it goes on", async () => {
    using user = agentUser();
    const agents = JSON.stringify({ more: { description: "d", prompt: "Be.", thinking: "high" } });
    await using api = startRoles({
      ROOT: [reply(agentCall("CHILD work", { name: "c", subagent_type: "more" })), reply(sendMessage("c", "on")), reply(text("waiting")), reply(text("done"))],
      CHILD: [reply(text("1")), reply(text("2")), reply(text("3"))],
    });
    await user.run([...BYPASS, "--agents", agents, "ROOT go"], { env: service(api) });
    const child = (await taskRows(user)).find(({ name }) => name === "c")?.id ?? "";
    await user.run(["resume", child, "once more"], { env: service(api) });
    expect(api.of("CHILD").map((request) => asked(request).output_config)).toEqual([{ effort: "high" }, { effort: "high" }, { effort: "high" }]);
    expectGoesOn(api.of("CHILD")[2], api.of("CHILD")[1]);
  });

  test("that is a fork is asked with the parameters of its parent, which are part of what is cached", async () => {
    using user = agentUser();
    await using api = startRoles({
      ROOT: [reply(agentCall("PART work")), reply(text("waiting")), reply(text("done"))],
      PART: [reply(text(REPORT))],
    });
    await user.run([...BYPASS, "--thinking", "low", "ROOT go"], { env: { ...service(api), AGENT_FORK_SUBAGENTS: "1" } });
    expect([asked(api.of("PART")[0]), asked(api.of("ROOT")[0])]).toEqual([ADAPTIVE, ADAPTIVE]);
  });
});
