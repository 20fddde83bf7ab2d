import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentCall, service, startRoles } from "../support/agent-roles.ts";
import { reply, text, toolUse } from "../support/api-reply.ts";
import { lastResults } from "../support/request-messages.ts";
import { runResult } from "../support/run-events.ts";
import { agentUser } from "../support/spawn-agent.ts";

const BYPASS = ["run", "--output-format", "json", "--permission-mode", "bypassPermissions"];

const read = (path: string) => reply(toolUse("Read", { file_path: path }, `toolu_read_${path}`));
const edit = (path: string, by: string) => reply(toolUse("Edit", { file_path: path, old_string: "old", new_string: by }, `toolu_edit_${path}`));

describe("a file that an agent has read", () => {
  test("is known to it alone: its parent may not edit it without a look of its own, and may after one", async () => {
    using user = agentUser();
    const file = join(user.project, "a.txt");
    writeFileSync(file, "old\n");
    await using api = startRoles({
      ROOT: [reply(agentCall("CHILD look")), edit("a.txt", "blind"), read("a.txt"), reply(toolUse("Edit", { file_path: "a.txt", old_string: "old", new_string: "seen" }, "toolu_again")), reply(text("done"))],
      CHILD: [read("a.txt"), reply(text("it says old"))],
    });
    expect((await user.run([...BYPASS, "ROOT go"], { env: service(api) })).exitCode).toBe(0);
    expect(lastResults(api.of("CHILD")[1])[0]).toMatchObject({ isError: false, content: expect.stringContaining("old") });
    const refused = lastResults(api.of("ROOT")[2])[0];
    expect(refused?.isError).toBe(true);
    expect(refused?.content).toMatch(/read/i);
    expect(lastResults(api.of("ROOT")[4])[0]?.isError).toBe(false);
    expect(readFileSync(file, "utf8")).toBe("seen\n");
  });

  test("may be edited by those that it starts", async () => {
    using user = agentUser();
    const file = join(user.project, "a.txt");
    writeFileSync(file, "old\n");
    await using api = startRoles({
      ROOT: [read("a.txt"), reply(agentCall("CHILD change")), reply(text("done"))],
      CHILD: [reply(agentCall("GRANDCHILD change")), reply(text("changed below"))],
      GRANDCHILD: [edit("a.txt", "by the grandchild"), reply(text("changed"))],
    });
    expect((await user.run([...BYPASS, "ROOT go"], { env: service(api) })).exitCode).toBe(0);
    expect(lastResults(api.of("GRANDCHILD")[1])[0]?.isError).toBe(false);
    expect(readFileSync(file, "utf8")).toBe("by the grandchild\n");
  });

  test("is not known to another one of the same parent", async () => {
    using user = agentUser();
    const file = join(user.project, "a.txt");
    writeFileSync(file, "old\n");
    await using api = startRoles({
      ROOT: [reply(agentCall("READING look")), reply(agentCall("EDITING change")), reply(text("done"))],
      READING: [read("a.txt"), reply(text("it says old"))],
      EDITING: [edit("a.txt", "blind"), reply(text("it was refused"))],
    });
    expect((await user.run([...BYPASS, "ROOT go"], { env: service(api) })).exitCode).toBe(0);
    const refused = lastResults(api.of("EDITING")[1])[0];
    expect(refused?.isError).toBe(true);
    expect(refused?.content).toMatch(/read/i);
    expect(readFileSync(file, "utf8")).toBe("old\n");
  });
});

describe("what an agent reads", () => {
  test("fills its own conversation and not that of whoever waits for it", async () => {
    using user = agentUser();
    const numbers = Array.from({ length: 30 }, (_, index) => index);
    for (const number of numbers) writeFileSync(join(user.project, `file-${number}`), `MARKER-${number}-END\n`);
    const calls = (some: readonly number[]) => reply(...some.map((number) => toolUse("Read", { file_path: `file-${number}` }, `toolu_${number}`)));
    await using api = startRoles({
      ROOT: [reply(agentCall("CHILD read all of it")), reply(text("the end"))],
      CHILD: [reply(text("I begin"), ...calls(numbers.slice(0, 10)).blocks), calls(numbers.slice(10, 20)), calls(numbers.slice(20)), reply(text("thirty files, one line each"))],
    });
    const run = await user.run([...BYPASS, "ROOT go"], { env: service(api) });
    expect([run.exitCode, runResult(run.stdout).result]).toEqual([0, "the end"]);
    const seen = api.of("CHILD").at(-1)?.text ?? "";
    expect(numbers.filter((number) => !seen.includes(`MARKER-${number}-END`))).toEqual([]);
    expect(api.of("ROOT").length).toBe(2);
    for (const request of api.of("ROOT")) expect(request.text).not.toMatch(/MARKER|I begin/);
    expect(lastResults(api.of("ROOT")[1])).toEqual([{ id: "toolu_CHILD", content: "thirty files, one line each", isError: false }]);
  });
});

describe("the instructions of the project", () => {
  test.each([
    ["AGENTS.md", {}, false],
    ["CLAUDE.md", {}, false],
    ["AGENTS.md", { AGENT_SLIM_SUBAGENT_CONTEXT: "0" }, true],
  ])("in %s are told with %j to the root and to an agent that works, and to one that only looks: %j", async (name, env, isTold) => {
    using user = agentUser();
    writeFileSync(join(user.project, name), "PROJECT MARKER\n");
    await using api = startRoles({
      ROOT: [reply(agentCall("FINDER find", { subagent_type: "Explore" }), agentCall("DOER do", { subagent_type: "general-purpose" })), reply(text("done"))],
      FINDER: [reply(text("found"))],
      DOER: [reply(text("did it"))],
    });
    expect((await user.run([...BYPASS, "ROOT go"], { env: { ...service(api), ...env } })).exitCode).toBe(0);
    const isMarked = (role: string) => api.of(role)[0]?.text.includes("PROJECT MARKER");
    expect([isMarked("ROOT"), isMarked("DOER"), isMarked("FINDER")]).toEqual([true, true, isTold]);
  });
});
