import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentCall, service, startRoles, told, type Said } from "../support/agent-roles.ts";
import { refusal, reply, text, toolUse } from "../support/api-reply.ts";
import { lastResults, messagesOf } from "../support/request-messages.ts";
import { events, eventsOfType, runResult } from "../support/run-events.ts";
import { agentUser } from "../support/spawn-agent.ts";

const RUN = ["run", "--output-format", "stream-json", "--permission-mode", "bypassPermissions"];
const QUICK = { "retry-after-ms": "1" };

/** What a service may do between the steps of an agent, which goes on with its work all the same. */
const TROUBLES: readonly (readonly [what: string, trouble: Said])[] = [
  ["a server error", refusal(500, "api_error", "broken", QUICK)],
  ["a reply that is cut in the middle", { ...reply(text("HALF of an answer that never gets whole")), fault: { afterEvents: 4, kind: "end" } }],
  ["a connection that breaks in the middle of a reply", { ...reply(text("HALF of an answer that never gets whole")), fault: { afterEvents: 4, kind: "reset" } }],
  ["an error within the reply", { ...reply(text("HALF of an answer that never gets whole")), fault: { afterEvents: 4, kind: { type: "overloaded_error", message: "Overloaded" } } }],
];

const read = (path: string) => reply(toolUse("Read", { file_path: path }, `toolu_${path}`));

describe("a child whose service has troubles finishes as a root does", () => {
  test.each(TROUBLES)("%s", async (_what, trouble) => {
    using user = agentUser();
    writeFileSync(join(user.project, "fact"), "blue");
    const work: readonly Said[] = [read("fact"), trouble, reply(text("it is blue"))];
    await using api = startRoles({ ALONE: work, ROOT: [reply(agentCall("CHILD work")), reply(text("the child says so"))], CHILD: work });
    const env = { ...service(api), AGENT_API_ATTEMPTS: "3" };
    const alone = await user.run([...RUN, "ALONE go"], { env });
    expect([alone.exitCode, runResult(alone.stdout).result]).toEqual([0, "it is blue"]);
    const run = await user.run([...RUN, "ROOT go"], { env });
    expect([run.exitCode, runResult(run.stdout).result]).toEqual([0, "the child says so"]);
    expect(lastResults(api.of("ROOT")[1])).toEqual([{ id: "toolu_CHILD", content: "it is blue", isError: false }]);
    expect([api.of("ALONE").length, api.of("CHILD").length]).toEqual([3, 3]);
    expect(messagesOf(api.of("CHILD")[2])).toEqual(messagesOf(api.of("CHILD")[1]));
    expect(api.requests.some((request) => request.text.includes("HALF"))).toBe(false);
  });

  test("a model that is overloaded is left for the next one, by the child alone", async () => {
    using user = agentUser();
    writeFileSync(join(user.project, "fact"), "blue");
    const overloaded = refusal(529, "overloaded_error", "Overloaded", { "x-should-retry": "false" });
    await using api = startRoles({
      ROOT: [reply(agentCall("CHILD work")), reply(text("the child says so"))],
      CHILD: [read("fact"), overloaded, reply(text("it is blue"))],
    });
    const run = await user.run([...RUN, "--fallback-model", "haiku", "ROOT go"], { env: service(api) });
    expect([run.exitCode, runResult(run.stdout).result]).toEqual([0, "the child says so"]);
    expect(lastResults(api.of("ROOT")[1])).toEqual([{ id: "toolu_CHILD", content: "it is blue", isError: false }]);
    const models = (role: string) => api.of(role).map(({ body }) => body["model"]);
    expect(models("CHILD")).toEqual(["claude-sonnet-5-5", "claude-sonnet-5-5", "claude-haiku-5-5"]);
    expect(models("ROOT")).toEqual(["claude-sonnet-5-5", "claude-sonnet-5-5"]);
    expect(Object.keys(runResult(run.stdout).usage.by_model).toSorted()).toEqual(["claude-haiku-5-5", "claude-sonnet-5-5"]);
  });

  test("a conversation that gets too long is summarized, and nothing of it reaches the root", async () => {
    using user = agentUser();
    for (const name of ["one", "two", "three"]) writeFileSync(join(user.project, name), `CONTENT-${name} `.repeat(1_000));
    const tooLong = refusal(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum");
    const work: readonly Said[] = [read("one"), read("two"), read("three"), tooLong, reply(text("SUMMARY: the three files say the same thing.")), reply(text("they are the same"))];
    await using api = startRoles({ ALONE: work, ROOT: [reply(agentCall("CHILD compare")), reply(text("the child says so"))], CHILD: work });
    const alone = await user.run([...RUN, "ALONE go"], { env: service(api) });
    expect([alone.exitCode, runResult(alone.stdout).result]).toEqual([0, "they are the same"]);
    const run = await user.run([...RUN, "ROOT go"], { env: service(api) });
    expect([run.exitCode, runResult(run.stdout).result]).toEqual([0, "the child says so"]);
    expect(lastResults(api.of("ROOT")[1])).toEqual([{ id: "toolu_CHILD", content: "they are the same", isError: false }]);
    const last = api.of("CHILD").at(-1);
    expect(told(last)).toContain("SUMMARY: the three files");
    expect(told(last)).toContain("CHILD compare");
    expect(last?.text).not.toContain("CONTENT-one");
    expect(api.of("ROOT").filter((request) => /SUMMARY|CONTENT/.test(request.text))).toEqual([]);
    expect(api.of("CHILD").length).toBe(api.of("ALONE").length);
    const compacted = (stdout: string) => eventsOfType(events(stdout), "context.compacted").length;
    expect(compacted(alone.stdout)).toBeGreaterThan(0);
  });
});
