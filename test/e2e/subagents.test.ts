import { describe, expect, test } from "bun:test";
import { agentCall, bash, gate, inspected, noticesOnRecord, notices, service, startRoles, taskRows, told, toolNames } from "../support/agent-roles.ts";
import { reply, text } from "../support/api-reply.ts";
import { firstTexts, lastResults } from "../support/request-messages.ts";
import { runResult } from "../support/run-events.ts";
import { agentUser } from "../support/spawn-agent.ts";
import { waitFor } from "../support/wait-for.ts";

const BYPASS = ["run", "--output-format", "json", "--permission-mode", "bypassPermissions"];

test(
  "the whole chain: agents are started, told what to do and with what, use tools, at the same time, and their results come back",
  async () => {
    using user = agentUser();
    const both = Promise.withResolvers<undefined>();
    const atOnce = async () => {
      if (api.of("ONE").length > 0 && api.of("TWO").length > 0) both.resolve(undefined);
      await both.promise;
      return bash("cat fact");
    };
    await using api = startRoles({
      ROOT: [bash("echo blue > fact"), reply(agentCall("ONE find the fact"), agentCall("TWO find the fact")), reply(text("both say blue"))],
      ONE: [atOnce, reply(text("blue, says one"))],
      TWO: [atOnce, reply(text("blue, says two"))],
    });
    const run = await user.run([...BYPASS, "ROOT go"], { env: service(api) });
    expect([run.exitCode, runResult(run.stdout).result]).toEqual([0, "both say blue"]);
    for (const name of ["ONE", "TWO"]) {
      expect(firstTexts(api.of(name)[0])).toContain(`${name} find the fact`);
      expect(lastResults(api.of(name)[1]).map(({ content }) => content)).toEqual(["blue"]);
    }
    expect(lastResults(api.of("ROOT")[2]).map(({ content }) => content)).toEqual(["blue, says one", "blue, says two"]);
  },
  3_000,
);

describe("an agent that is waited for", () => {
  test("does its work in a conversation of its own; its last message is the result of the call", async () => {
    using user = agentUser();
    await using api = startRoles({
      ROOT: [reply(agentCall("CHILD look around")), reply(text("the child has answered"))],
      CHILD: [bash("echo from the child"), reply(text("forty-two"))],
    });
    const run = await user.run([...BYPASS, "ROOT go, the secret is 4711"], { env: service(api) });
    expect([run.exitCode, runResult(run.stdout).result]).toEqual([0, "the child has answered"]);
    expect(lastResults(api.requests[3])).toEqual([{ id: "toolu_CHILD", content: "forty-two", isError: false }]);
    expect(api.of("CHILD").some((request) => request.text.includes("4711"))).toBe(false);
    const tasks = await taskRows(user);
    expect(tasks.map(({ type, status, parentTaskId }) => [type, status, parentTaskId !== null])).toEqual(
      expect.arrayContaining([
        ["local_agent", "completed", false],
        ["local_agent", "completed", true],
      ]),
    );
    expect([api.requests.length, noticesOnRecord(user)]).toEqual([4, []]);
  });

  test("that the service refuses is an error result, and the run goes on", async () => {
    using user = agentUser();
    await using api = startRoles({
      ROOT: [reply(agentCall("CHILD fail")), reply(text("without it then"))],
      CHILD: [{ status: 400, type: "invalid_request_error", message: "the child is not liked" }],
    });
    const run = await user.run([...BYPASS, "ROOT go"], { env: service(api) });
    expect([run.exitCode, runResult(run.stdout).result]).toEqual([0, "without it then"]);
    const [result] = lastResults(api.of("ROOT")[1]);
    expect(result?.isError).toBe(true);
    expect(result?.content).toContain("did not finish: ");
    expect(result?.content).toContain("the child is not liked");
  });

  test("tells how many of its calls were refused, and never may more than whoever started it", async () => {
    using user = agentUser();
    const definition = JSON.stringify({ daring: { description: "Dares", prompt: "Dare.", permissionMode: "bypassPermissions" } });
    await using api = startRoles({
      ROOT: [reply(agentCall("CHILD write", { subagent_type: "daring" })), reply(text("done"))],
      CHILD: [bash("touch made"), bash("echo fine", "toolu_2"), reply(text("it was refused"))],
    });
    const run = await user.run(["run", "--output-format", "json", "--permission-mode", "default", "--agents", definition, "--allow", "Bash(echo *)", "ROOT go"], { env: service(api) });
    expect(run.exitCode).toBe(0);
    expect(lastResults(api.of("ROOT")[1])[0]?.content).toBe("it was refused\n[1 of its calls were refused]");
    expect((await user.shell("ls")).stdout).toBe("");
  });

  test("that is stopped on request is the error result of the call and nothing else (one answer each)", async () => {
    using user = agentUser();
    const hangs = gate();
    await using api = startRoles({
      ROOT: [reply(agentCall("CHILD hang")), reply(text("it was stopped"))],
      CHILD: [async () => (await hangs.opened, reply(text("too late")))],
    });
    const running = user.start([...BYPASS, "ROOT go"], { env: service(api) });
    const child = await childWhen(user, () => api.of("CHILD").length === 1);
    expect((await user.run(["stop", child])).exitCode).toBe(0);
    expect((await running.ended).exitCode).toBe(0);
    expect(lastResults(api.of("ROOT")[1])[0]).toMatchObject({ isError: true, content: expect.stringContaining("Stopped on request") });
    expect([notices(api.of("ROOT")[1]), noticesOnRecord(user)]).toEqual([[], []]);
    hangs.open();
  });

  test("ten in one reply work at once and are answered in the order of the calls", async () => {
    using user = agentUser();
    const all = gate();
    let working = 0;
    const names = Array.from({ length: 10 }, (_, index) => `CHILD${index}`);
    const child = (name: string) => async () => {
      if (++working === names.length) all.open();
      await all.opened;
      return reply(text(`answer of ${name}`));
    };
    await using api = startRoles({
      ROOT: [reply(...names.map((name) => agentCall(`${name} work`))), reply(text("all"))],
      ...Object.fromEntries(names.map((name) => [name, [child(name)]])),
    });
    expect((await user.run([...BYPASS, "ROOT go"], { env: service(api) })).exitCode).toBe(0);
    expect(lastResults(api.of("ROOT")[1]).map(({ content }) => content)).toEqual(names.map((name) => `answer of ${name}`));
  });
});

describe("an agent in the background", () => {
  test("gives its parent the turn back at once, and one notice at its end", async () => {
    using user = agentUser();
    const rootGoesOn = gate();
    const secret = "R".repeat(2_000);
    await using api = startRoles({
      ROOT: [
        reply(agentCall("CHILD work", { run_in_background: true, name: "worker" })),
        () => (rootGoesOn.open(), reply(text("meanwhile"))),
        reply(text("the end")),
      ],
      CHILD: [async () => (await rootGoesOn.opened, reply(text(secret)))],
    });
    const run = await user.run([...BYPASS, "ROOT go"], { env: service(api) });
    expect([run.exitCode, runResult(run.stdout).result]).toEqual([0, "the end"]);
    const [launched] = lastResults(api.of("ROOT")[1]);
    const status = JSON.parse(launched?.content.split("\n")[0] ?? "") as Record<string, string>;
    const [child] = (await taskRows(user)).filter(({ parentTaskId }) => parentTaskId !== null);
    expect(status).toEqual({ status: "async_launched", agentId: child?.id ?? "", outputFile: expect.any(String) as never, name: "worker" });
    const [notice, ...more] = notices(api.of("ROOT")[2]);
    expect([more, noticesOnRecord(user).length]).toEqual([[], 1]);
    expect(Buffer.byteLength(notice ?? "") - secret.length).toBeLessThanOrEqual(700);
    expect(notice).toContain(`<task-id>${child?.id}</task-id>`);
    expect(runResult(run.stdout).children).toMatchObject([{ task_id: child?.id, status: "completed" }]);
  });

  test("that fails is told as failed, once, and the run ends well", async () => {
    using user = agentUser();
    await using api = startRoles({
      ROOT: [reply(agentCall("CHILD fail", { run_in_background: true })), reply(text("waiting")), reply(text("the end"))],
      CHILD: [{ status: 400, type: "invalid_request_error", message: "not liked" }],
    });
    const run = await user.run([...BYPASS, "ROOT go"], { env: service(api) });
    expect([run.exitCode, noticesOnRecord(user).length]).toEqual([0, 1]);
    expect(told(api.of("ROOT").at(-1))).toContain("<status>failed</status>");
  });

  test("is waited for where the switch forbids the background", async () => {
    using user = agentUser();
    await using api = startRoles({ ROOT: [reply(agentCall("CHILD work", { run_in_background: true })), reply(text("done"))], CHILD: [reply(text("the answer"))] });
    expect((await user.run([...BYPASS, "ROOT go"], { env: { ...service(api), AGENT_DISABLE_BACKGROUND_TASKS: "1" } })).exitCode).toBe(0);
    expect(lastResults(api.of("ROOT")[1])[0]?.content).toBe("the answer");
  });

  test("runs there because its definition says so, unless the call says otherwise", async () => {
    using user = agentUser();
    const definition = JSON.stringify({ slow: { description: "Slow", prompt: "Be slow.", background: true } });
    await using api = startRoles({
      ROOT: [reply(agentCall("ONE work", { subagent_type: "slow" }), agentCall("TWO work", { subagent_type: "slow", run_in_background: false })), reply(text("done"))],
      ONE: [reply(text("one"))],
      TWO: [reply(text("two"))],
    });
    expect((await user.run([...BYPASS, "--agents", definition, "ROOT go"], { env: service(api) })).exitCode).toBe(0);
    const [one, two] = lastResults(api.of("ROOT")[1]);
    expect([one?.content.includes("async_launched"), two?.content]).toEqual([true, "two"]);
  });

  test("that is stopped keeps what it has said so far, and gives one notice", async () => {
    using user = agentUser();
    const hangs = gate();
    await using api = startRoles({
      ROOT: [reply(agentCall("CHILD work", { run_in_background: true })), reply(text("waiting")), reply(text("the end"))],
      CHILD: [{ blocks: [text("half of it"), ...bash("true").blocks] }, async () => (await hangs.opened, reply(text("too late")))],
    });
    const running = user.start([...BYPASS, "ROOT go"], { env: service(api) });
    const child = await childWhen(user, () => api.of("CHILD").length === 2 && api.of("ROOT").length === 2);
    expect((await user.run(["stop", child])).exitCode).toBe(0);
    expect((await running.ended).exitCode).toBe(0);
    expect(await inspected(user, child)).toMatchObject({ status: "killed", detail: { result: "half of it" } });
    const said = notices(api.of("ROOT").at(-1));
    expect([said.length, said[0]?.includes("<result>half of it</result>"), noticesOnRecord(user).length]).toEqual([1, true, 1]);
    hangs.open();
  });
});

describe("which agent is started", () => {
  test("the one that is named, the one for everything where none is, and for an unknown name an error that lists them", async () => {
    using user = agentUser();
    await user.shell("echo 'PROJECT RULES' > AGENTS.md");
    await using api = startRoles({
      ROOT: [reply(agentCall("FINDER find", { subagent_type: "Explore" }), agentCall("DOER do"), agentCall("NOBODY do", { subagent_type: "explorer" })), reply(text("done"))],
      FINDER: [reply(text("found"))],
      DOER: [reply(text("done"))],
    });
    expect((await user.run([...BYPASS, "ROOT go"], { env: service(api) })).exitCode).toBe(0);
    const tools = (role: string) => toolNames(api.of(role)[0]);
    expect(tools("FINDER")).toEqual(["Bash", "Read", "Glob", "Grep", "TaskOutput", "TaskStop"]);
    expect(tools("DOER")).toEqual(expect.arrayContaining(["Write", "Edit", "Agent"]));
    expect([firstTexts(api.of("FINDER")[0]).join().includes("PROJECT RULES"), firstTexts(api.of("DOER")[0]).join().includes("PROJECT RULES")]).toEqual([false, true]);
    const refused = lastResults(api.of("ROOT")[1])[2];
    expect(refused?.isError).toBe(true);
    for (const name of ["general-purpose", "Explore", "Plan"]) expect(refused?.content).toContain(name);
    expect((await taskRows(user)).length).toBe(3);
  });
});

/** The one agent that the root has started, once a condition holds. */
async function childWhen(user: ReturnType<typeof agentUser>, isReady: () => boolean): Promise<string> {
  await waitFor(isReady);
  return await waitFor(async () => (await taskRows(user)).find(({ parentTaskId, type }) => type === "local_agent" && parentTaskId !== null)?.id);
}
