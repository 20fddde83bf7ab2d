import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentCall, inspected, notices, service, startRoles, taskRows, told, type Said } from "../support/agent-roles.ts";
import { refusal, reply, text, toolUse } from "../support/api-reply.ts";
import { lastResults, messagesOf } from "../support/request-messages.ts";
import { runResult } from "../support/run-events.ts";
import type { ApiRequest } from "../support/scripted-api-server.ts";
import { agentUser, type AgentUser } from "../support/spawn-agent.ts";
import { taskNamed } from "../support/task-named.ts";

const RUN = ["run", "--output-format", "json", "--permission-mode", "bypassPermissions"];
const REPORT = "Scope: a part\nResult: found\nFiles: none\nIssues: none";
const TOO_LONG = refusal(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum");
/** Long enough that taking out old results does not suffice, and it has to be summarized. */
const LONG = "and look at everything ".repeat(3_000);

function forks(api: { readonly url: string }) {
  return { ...service(api), AGENT_FORK_SUBAGENTS: "1" };
}

function read(user: AgentUser, name: string): Said {
  return () => {
    writeFileSync(join(user.project, name), `CONTENT-${name}\n`.repeat(1_500));
    return reply(toolUse("Read", { file_path: name }, `toolu_${name}`));
  };
}

describe("a fork of a conversation that was summarized", () => {
  test("begins with the bytes that its parent sends, and not with what was taken out", async () => {
    using user = agentUser();
    await using api = startRoles({
      ROOT: [
        read(user, "one"),
        read(user, "two"),
        read(user, "three"),
        TOO_LONG,
        reply(text("SUMMARY: three files were read, and nothing was found.")),
        reply(text("two parts"), agentCall("LEFT part"), agentCall("RIGHT part")),
        reply(text("waiting")),
      ],
      LEFT: [reply(text(REPORT))],
      RIGHT: [reply(text(REPORT))],
    });
    const run = await user.run([...RUN, `ROOT go ${LONG}`], { env: forks(api) });
    expect(run.exitCode).toBe(0);
    const parent = api.of("ROOT")[5];
    expect(told(parent)).toContain("SUMMARY: three files");
    for (const fork of [api.of("LEFT")[0], api.of("RIGHT")[0]]) {
      for (const field of ["model", "system", "tools"]) expect(JSON.stringify(fork?.body[field])).toBe(JSON.stringify(parent?.body[field]));
      expect(prefix(fork, messagesOf(parent).length)).toBe(prefix(parent, messagesOf(parent).length));
      expect(fork?.text).not.toContain("CONTENT-one");
    }
  });
});

describe("a fork whose own conversation was summarized", () => {
  test("starts no agent, although nothing in it says any more that it is a fork", async () => {
    using user = agentUser();
    let forkTurn = 0;
    const inFork: readonly Said[] = [reply(agentCall("DEEPER work")), reply(text(REPORT))];
    // A fork that has forgotten its directive looks to the service like its parent.
    const root: readonly Said[] = [reply(agentCall("PART work", { name: "part" })), reply(text("waiting"))];
    let rootTurn = 0;
    const afterSummary = (request: ApiRequest) => request.text.includes("SUMMARY OF THE PART");
    const answer: Said = async (request) => {
      const said = afterSummary(request) ? inFork[forkTurn++] : root[Math.min(rootTurn++, root.length - 1)];
      if (said === undefined) return reply(text(REPORT));
      return typeof said === "function" ? await said(request) : said;
    };
    await using api = startRoles({
      ROOT: [answer],
      PART: [read(user, "one"), read(user, "two"), read(user, "three"), TOO_LONG, reply(text("SUMMARY OF THE PART: three files were read."))],
    });
    const run = await user.run([...RUN, `ROOT go ${LONG}`], { env: forks(api) });
    expect(run.exitCode).toBe(0);
    const later = api.requests.filter(afterSummary);
    expect(later.length).toBe(2);
    for (const request of later) expect(request.text).not.toContain("fork-directive");
    expect(lastResults(later[1])[0]).toMatchObject({ id: "toolu_DEEPER", isError: true, content: expect.stringContaining("a fork does its work itself") });
    expect([(await taskRows(user)).length, (await taskNamed(user, "part")).status]).toEqual([2, "completed"]);
  });
});

describe("an agent of a definition where forks are on", () => {
  test("works in the background although nobody asked for that, in a conversation and with a model of its own", async () => {
    using user = agentUser();
    const agents = JSON.stringify({ small: { description: "Small", prompt: "Be small.", model: "claude-haiku-4-5" } });
    await using api = startRoles({
      ROOT: [reply(agentCall("FINDER find", { subagent_type: "Explore", model: "claude-opus-4-5" }), agentCall("SMALL work", { subagent_type: "small" })), reply(text("waiting"))],
      FINDER: [reply(text("found it"))],
      SMALL: [reply(text("worked"))],
    });
    const run = await user.run([...RUN, "--agents", agents, "ROOT go, the secret is 4711"], { env: forks(api) });
    expect([run.exitCode, runResult(run.stdout).result]).toEqual([0, "waiting"]);
    expect(lastResults(api.of("ROOT")[1]).map(({ content, isError }) => [content.includes("async_launched"), isError])).toEqual([
      [true, false],
      [true, false],
    ]);
    const heard = api.of("ROOT").flatMap(notices).join("\n");
    for (const words of ["found it", "worked"]) expect(heard).toContain(`<result>${words}</result>`);
    expect(["ROOT", "FINDER", "SMALL"].map((role) => api.of(role)[0]?.body["model"])).toEqual(["claude-sonnet-5-5", "claude-opus-4-5", "claude-haiku-4-5"]);
    for (const role of ["FINDER", "SMALL"]) expect(api.of(role)[0]?.text).not.toMatch(/4711|fork-directive/);
    const types = await Promise.all((await taskRows(user)).map(async ({ id }) => (await inspected(user, id)).detail["agentType"]));
    expect(types).toEqual(expect.arrayContaining(["Explore", "small"]));
    expect(types).not.toContain("fork");
  });
});

function prefix(request: ApiRequest | undefined, count: number): string {
  return JSON.stringify(messagesOf(request).slice(0, count)).replaceAll(',"cache_control":{"type":"ephemeral"}', "");
}
