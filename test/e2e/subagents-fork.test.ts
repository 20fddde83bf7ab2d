import { describe, expect, test } from "bun:test";
import { agentCall, bash, notices, noticesOnRecord, sendMessage, service, startRoles, told } from "../support/agent-roles.ts";
import { reply, text, toolUse } from "../support/api-reply.ts";
import { lastResults, messagesOf } from "../support/request-messages.ts";
import { runResult } from "../support/run-events.ts";
import type { ApiRequest } from "../support/scripted-api-server.ts";
import { agentUser } from "../support/spawn-agent.ts";
import { waitFor } from "../support/wait-for.ts";

const RUN = ["run", "--output-format", "json", "--permission-mode", "bypassPermissions"];
const REPORT = "Scope: a part\nResult: found\nFiles: none\nIssues: none";

function forks(api: { readonly url: string }) {
  return { ...service(api), AGENT_FORK_SUBAGENTS: "1" };
}

describe("a fork", () => {
  test("begins with the bytes of its parent's request and of its siblings', but for the directive at the end", async () => {
    using user = agentUser();
    await using api = startRoles({
      ROOT: [bash("echo seen"), reply(text("two parts"), agentCall("LEFT part"), agentCall("RIGHT part")), reply(text("waiting")), reply(text("done"))],
      LEFT: [reply(text(REPORT))],
      RIGHT: [reply(text(REPORT))],
    });
    const run = await user.run([...RUN, "ROOT go"], { env: forks(api) });
    expect(run.exitCode).toBe(0);
    const parent = api.of("ROOT")[1];
    const [left, right] = [api.of("LEFT")[0], api.of("RIGHT")[0]];
    for (const fork of [left, right]) {
      for (const field of ["model", "system", "tools"]) expect(JSON.stringify(fork?.body[field])).toBe(JSON.stringify(parent?.body[field]));
      expect(prefix(fork, messagesOf(parent).length)).toBe(prefix(parent, messagesOf(parent).length));
    }
    const words = [left, right].map((request) => request?.text.replaceAll(CACHE_MARK, "") ?? "");
    expect(words[0]?.replace("[FORK] LEFT part", "[FORK] RIGHT part")).toBe(words[1] ?? "");
    const last = messagesOf(left).at(-1)?.content ?? [];
    expect(last.slice(0, 2).map(({ type, content }) => [type, content])).toEqual([1, 2].map(() => ["tool_result", "Fork started — processing in background"]));
    expect(String(last[2]?.["text"])).toContain("10. End with one message");
    expect(lastResults(api.of("ROOT")[2]).every(({ content }) => content.includes("async_launched"))).toBe(true);
    expect([noticesOnRecord(user).length, api.of("ROOT").flatMap(notices).length > 0]).toEqual([2, true]);
  });

  test("asks first of several that one reply starts; the others wait until the service can have the prompt in its cache", async () => {
    using user = agentUser();
    const first = Promise.withResolvers<undefined>();
    const asked: string[] = [];
    let askedBefore = 0;
    const answer = (name: string) => async () => {
      asked.push(name);
      if (asked.length === 1) await first.promise;
      return reply(text(REPORT));
    };
    await using api = startRoles({
      // By the time of its second request all three are started, and each would have asked.
      ROOT: [
        reply(agentCall("ONE part"), agentCall("TWO part"), agentCall("THREE part")),
        async () => {
          await waitFor(() => asked.length > 0);
          askedBefore = asked.length;
          first.resolve(undefined);
          return reply(text("waiting"));
        },
        reply(text("done")),
      ],
      ONE: [answer("ONE")],
      TWO: [answer("TWO")],
      THREE: [answer("THREE")],
    });
    expect((await user.run([...RUN, "ROOT go"], { env: forks(api) })).exitCode).toBe(0);
    expect(askedBefore).toBe(1);
    expect(asked.toSorted()).toEqual(["ONE", "THREE", "TWO"]);
  });

  test("starts no agent: the call is refused in code, also when it was woken", async () => {
    using user = agentUser();
    await using api = startRoles({
      ROOT: [reply(agentCall("PART work", { name: "part" })), reply(text("waiting")), reply(sendMessage("part", "more")), reply(text("waiting")), reply(text("done"))],
      PART: [reply(agentCall("DEEPER work")), reply(text(REPORT)), reply(toolUse("Agent", { description: "a", prompt: "again", subagent_type: "Explore" }, "toolu_again")), reply(text(REPORT))],
    });
    expect((await user.run([...RUN, "ROOT go"], { env: forks(api) })).exitCode).toBe(0);
    const [, second, third, fourth] = api.of("PART");
    for (const refused of [second, fourth]) expect(lastResults(refused)[0]).toMatchObject({ isError: true, content: expect.stringContaining("a fork does its work itself") });
    expect([api.of("DEEPER").length, api.requests.filter((request) => request.text.includes('"again "')).length]).toEqual([0, 0]);
    expect(prefix(third, messagesOf(second).length)).toBe(prefix(second, messagesOf(second).length));
    for (const field of ["system", "tools"]) expect(JSON.stringify(third?.body[field])).toBe(JSON.stringify(second?.body[field]));
  });

  test("goes on with the bytes of before in a later run", async () => {
    using user = agentUser();
    await using api = startRoles({
      ROOT: [reply(agentCall("PART work", { name: "part" })), reply(text("waiting")), reply(text("first")), reply(sendMessage("part", "more")), reply(text("waiting")), reply(text("second"))],
      PART: [reply(text(REPORT))],
    });
    expect((await user.run([...RUN, "-n", "nightly", "ROOT go"], { env: forks(api) })).exitCode).toBe(0);
    expect((await user.run(["resume", "nightly", "ask"], { env: forks(api) })).stdout).toBe("second\n");
    const [first, second] = api.of("PART");
    expect(prefix(second, messagesOf(first).length)).toBe(prefix(first, messagesOf(first).length));
    for (const field of ["model", "system", "tools"]) expect(JSON.stringify(second?.body[field])).toBe(JSON.stringify(first?.body[field]));
  });

  test("whose last message is not in the form of a report is marked", async () => {
    using user = agentUser();
    await using api = startRoles({ ROOT: [reply(agentCall("PART work")), reply(text("waiting")), reply(text("done"))], PART: [reply(text("all is well"))] });
    expect((await user.run([...RUN, "ROOT go"], { env: forks(api) })).exitCode).toBe(0);
    expect(told(api.of("ROOT").at(-1))).toContain("all is well\n[This is not in the form");
  });

  test("has its parent's model, whatever the model of the run is", async () => {
    using user = agentUser();
    await using api = startRoles({
      ROOT: [reply(agentCall("CHILD work", { subagent_type: "general-purpose", model: "claude-haiku-4-5" })), reply(text("waiting")), reply(text("done"))],
      CHILD: [reply(agentCall("PART work")), reply(text("waiting")), reply(text("child"))],
      PART: [reply(text(REPORT))],
    });
    expect((await user.run([...RUN, "ROOT go"], { env: forks(api) })).exitCode).toBe(0);
    expect(api.of("PART")[0]?.body["model"]).toBe(api.of("CHILD")[0]?.body["model"]);
    expect(api.of("PART")[0]?.body["model"]).not.toBe(api.of("ROOT")[0]?.body["model"]);
  });

  test("does not give the answer of the run that owes one", async () => {
    using user = agentUser();
    const schema = JSON.stringify({ type: "object", properties: { by: { type: "string" } }, required: ["by"] });
    await using api = startRoles({
      ROOT: [reply(agentCall("PART work")), reply(text("waiting")), reply(toolUse("SyntheticOutput", { by: "root" }, "toolu_answer"))],
      PART: [reply(toolUse("SyntheticOutput", { by: "fork" }, "toolu_forged")), reply(text(REPORT))],
    });
    const run = await user.run([...RUN, "--json-schema", schema, "ROOT go"], { env: forks(api) });
    expect([run.exitCode, runResult(run.stdout).structured_output]).toEqual([0, { by: "root" }]);
    expect(lastResults(api.of("PART")[1])[0]?.isError).toBe(true);
  });

  test("is told of to the model only where forks are on", async () => {
    using user = agentUser();
    await using api = startRoles({ ROOT: [reply(text("alone"))] });
    await user.run([...RUN, "ROOT go"], { env: forks(api) });
    await user.run([...RUN, "ROOT go"], { env: service(api) });
    expect(api.requests.map((request) => request.text.includes("Leave out `subagent_type` for parallel workers"))).toEqual([true, false]);
  });
});

/** Marks for the cache move with the end of the conversation. */
const CACHE_MARK = ',"cache_control":{"type":"ephemeral"}';

function prefix(request: ApiRequest | undefined, count: number): string {
  return JSON.stringify(messagesOf(request).slice(0, count)).replaceAll(CACHE_MARK, "");
}
