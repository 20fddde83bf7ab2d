import { describe, expect, test } from "bun:test";
import { agentCall, bash, gate, inspected, noticesOnRecord, notices, sendMessage, service, startRoles, taskRows, told } from "../support/agent-roles.ts";
import { reply, text, toolUse } from "../support/api-reply.ts";
import { expectGoesOn } from "../support/expect-goes-on.ts";
import { lastResults } from "../support/request-messages.ts";
import { runResult } from "../support/run-events.ts";
import { agentUser } from "../support/spawn-agent.ts";
import { waitFor } from "../support/wait-for.ts";

const BYPASS = ["run", "--output-format", "json", "--permission-mode", "bypassPermissions"];

describe("a message to a subagent", () => {
  test("that works comes between two steps of it, from people and from other agents", async () => {
    using user = agentUser();
    const sent = gate();
    await using api = startRoles({
      ROOT: [reply(agentCall("CHILD work", { run_in_background: true, name: "rev" })), reply(sendMessage("rev", "also the tests")), () => (sent.open(), reply(text("waiting"))), reply(text("done"))],
      CHILD: [bash("until [ -e go ]; do sleep 0.02; done"), reply(text("both"))],
    });
    const running = user.start([...BYPASS, "ROOT go"], { env: service(api) });
    await sent.opened;
    const child = await waitFor(async () => (await taskRows(user)).find(({ name }) => name === "rev")?.id);
    expect((await user.run(["send", child, "and the linter"])).exitCode).toBe(0);
    await user.shell("touch go");
    expect((await running.ended).exitCode).toBe(0);
    const root = (await taskRows(user)).find(({ parentTaskId }) => parentTaskId === null)?.id;
    expect(told(api.of("CHILD")[1])).toContain(`<message from="${root}">\nalso the tests\n</message>\nand the linter`);
    expect(lastResults(api.of("ROOT")[2])[0]?.content).toContain("reads it between two steps");
    expect([notices(api.of("ROOT").at(-1)).length, noticesOnRecord(user).length]).toEqual([1, 1]);
  });

  test("that has ended wakes it in the background: its request begins with the bytes of before, and there is one notice", async () => {
    using user = agentUser();
    await using api = startRoles({
      ROOT: [reply(agentCall("CHILD work", { name: "rev" })), reply(sendMessage("rev", "what else")), reply(text("waiting")), reply(text("done"))],
      CHILD: [bash("echo first"), reply(text("one")), reply(text("two"))],
    });
    expect((await user.run([...BYPASS, "ROOT go"], { env: service(api) })).exitCode).toBe(0);
    const [, second, third] = api.of("CHILD");
    expectGoesOn(third, second);
    expect(told(third)).toEndWith("what else\n</message>");
    const last = api.of("ROOT").at(-1);
    expect([notices(last).length, told(last).includes("<result>two</result>"), noticesOnRecord(user).length]).toEqual([1, true, 1]);
  });

  test("goes on with the same bytes in a later run of the conversation", async () => {
    using user = agentUser();
    await using api = startRoles({
      ROOT: [reply(agentCall("CHILD work", { name: "rev" })), reply(text("first run")), reply(sendMessage("rev", "what else")), reply(text("waiting")), reply(text("second run"))],
      CHILD: [bash("echo first"), reply(text("one")), reply(text("two"))],
    });
    expect((await user.run([...BYPASS, "-n", "nightly", "ROOT go"], { env: service(api) })).exitCode).toBe(0);
    const resumed = await user.run(["resume", "nightly", "ask it more"], { env: service(api) });
    expect(resumed).toMatchObject({ exitCode: 0, stdout: "second run\n" });
    const [, second, third] = api.of("CHILD");
    expectGoesOn(third, second);
    expect(noticesOnRecord(user).length).toBe(1);
    const [child] = (await taskRows(user)).filter(({ name }) => name === "rev");
    expect(await inspected(user, child?.id ?? "")).toMatchObject({ attempt: 2, status: "completed" });
  });

  test("by another child wakes it for that child, which is told of its end", async () => {
    using user = agentUser();
    await using api = startRoles({
      ROOT: [reply(agentCall("ONE work", { name: "one" })), reply(agentCall("TWO work", { name: "two" })), reply(text("done"))],
      ONE: [reply(text("1")), reply(text("1 again"))],
      TWO: [reply(sendMessage("one", "once more")), reply(text("waiting")), reply(text("2"))],
    });
    expect((await user.run([...BYPASS, "ROOT go"], { env: service(api) })).exitCode).toBe(0);
    expect(notices(api.of("TWO")[2]).length).toBe(1);
    expect(api.of("ROOT").flatMap(notices)).toEqual([]);
    expect(noticesOnRecord(user).length).toBe(1);
  });

  test("of two who wake it at the same time both reach it", async () => {
    using user = agentUser();
    const both = gate();
    let ready = 0;
    const wake = (word: string) => async () => {
      if (++ready === 2) both.open();
      await both.opened;
      return reply(sendMessage("one", word));
    };
    await using api = startRoles({
      ROOT: [reply(agentCall("ONE work", { name: "one" })), reply(agentCall("TWO work"), agentCall("THREE work")), reply(text("waiting"))],
      ONE: [reply(text("1"))],
      TWO: [wake("from two"), reply(text("2"))],
      THREE: [wake("from three"), reply(text("3"))],
    });
    expect((await user.run([...BYPASS, "ROOT go"], { env: service(api) })).exitCode).toBe(0);
    const last = told(api.of("ONE").at(-1));
    expect([last.includes("from two"), last.includes("from three")]).toEqual([true, true]);
    expect(lastResults(api.of("ROOT")[2]).map(({ isError }) => isError)).toEqual([false, false]);
  });

  test("that has ended is an error where the switch forbids the background", async () => {
    using user = agentUser();
    await using api = startRoles({ ROOT: [reply(agentCall("CHILD work", { name: "rev" })), reply(sendMessage("rev", "more")), reply(text("done"))], CHILD: [reply(text("one"))] });
    expect((await user.run([...BYPASS, "ROOT go"], { env: { ...service(api), AGENT_DISABLE_BACKGROUND_TASKS: "1" } })).exitCode).toBe(0);
    expect(lastResults(api.of("ROOT")[2])[0]).toMatchObject({ isError: true, content: expect.stringContaining("in the background") });
    expect(api.of("CHILD").length).toBe(1);
  });

  test("to a name that several had who have ended is an error that names them", async () => {
    using user = agentUser();
    await using api = startRoles({
      ROOT: [reply(agentCall("ONE work", { name: "rev" })), reply(agentCall("TWO work", { name: "rev" })), reply(sendMessage("rev", "more")), reply(text("done"))],
      ONE: [reply(text("1"))],
      TWO: [reply(text("2"))],
    });
    expect((await user.run([...BYPASS, "ROOT go"], { env: service(api) })).exitCode).toBe(0);
    const agents = (await taskRows(user)).filter(({ name }) => name === "rev");
    const [refused] = lastResults(api.of("ROOT")[3]);
    expect([refused?.isError, agents.length, agents.every(({ id }) => refused?.content.includes(id))]).toEqual([true, 2, true]);
    expect([api.of("ONE").length, api.of("TWO").length]).toEqual([1, 1]);
  });

  test("to nobody and to oneself are errors", async () => {
    using user = agentUser();
    await using api = startRoles({
      ROOT: [reply(sendMessage("nobody", "hello")), reply(agentCall("CHILD work", { name: "rev" })), reply(text("done"))],
      CHILD: [reply(sendMessage("rev", "hello")), reply(text("child"))],
    });
    expect((await user.run([...BYPASS, "ROOT go"], { env: service(api) })).exitCode).toBe(0);
    expect(lastResults(api.of("ROOT")[1])[0]).toMatchObject({ isError: true, content: expect.stringContaining('"nobody"') });
    expect(lastResults(api.of("CHILD")[1])[0]).toMatchObject({ isError: true, content: expect.stringContaining("oneself") });
  });
});

describe("interrupting the turn of the root", () => {
  test("ends the agent that it waits for; one in the background goes on, and what it says comes", async () => {
    using user = agentUser();
    const [hangs, works] = [gate(), gate()];
    await using api = startRoles({
      ROOT: [reply(agentCall("BEHIND work", { run_in_background: true })), reply(agentCall("BEFORE work")), reply(text("another way")), reply(text("done"))],
      BEHIND: [async () => (await works.opened, reply(text("from behind")))],
      BEFORE: [async () => (await hangs.opened, reply(text("too late")))],
    });
    const running = user.start([...BYPASS, "ROOT go"], { env: service(api) });
    await waitFor(() => api.of("BEFORE").length === 1 && api.of("BEHIND").length === 1);
    const rows = await waitFor(async () => {
      const found = await taskRows(user);
      return found.length === 3 && found;
    });
    const root = rows.find(({ parentTaskId }) => parentTaskId === null)?.id ?? "";
    expect((await user.run(["interrupt", root])).exitCode).toBe(0);
    const before = await waitFor(async () => (await taskRows(user)).find(({ status, parentTaskId }) => parentTaskId !== null && status !== "running"));
    expect(before.status).toBe("killed");
    expect((await taskRows(user)).filter(({ status }) => status === "running").length).toBe(2);
    expect((await user.run(["send", root, "do it another way"])).exitCode).toBe(0);
    await waitFor(() => api.of("ROOT").length === 3);
    works.open();
    const ended = await running.ended;
    hangs.open();
    expect([ended.exitCode, runResult(ended.stdout).result]).toEqual([0, "done"]);
    expect(told(api.of("ROOT")[3])).toContain("<result>from behind</result>");
    expect(noticesOnRecord(user).length).toBe(1);
  });
});

test("interrupting an agent that somebody waits for ends it, with what there is of its work", async () => {
  using user = agentUser();
  const hangs = gate();
  await using api = startRoles({
    ROOT: [reply(agentCall("CHILD work")), reply(text("done"))],
    CHILD: [reply(text("half of it"), toolUse("Bash", { command: "true" })), async () => (await hangs.opened, reply(text("too late")))],
  });
  const running = user.start([...BYPASS, "ROOT go"], { env: service(api) });
  await waitFor(() => api.of("CHILD").length === 2);
  const child = (await taskRows(user)).find(({ parentTaskId, type }) => parentTaskId !== null && type === "local_agent");
  expect((await user.run(["interrupt", child?.id ?? ""])).exitCode).toBe(0);
  const ended = await running.ended;
  hangs.open();
  expect([ended.exitCode, runResult(ended.stdout).result]).toEqual([0, "done"]);
  expect(lastResults(api.of("ROOT")[1])[0]).toMatchObject({ isError: true, content: expect.stringContaining("half of it") });
});

describe("when the run process is killed", () => {
  test("every agent of it ends as lost, whatever depth it was at", async () => {
    using user = agentUser();
    const never = gate();
    await using api = startRoles({
      ROOT: [reply(agentCall("ONE work", { run_in_background: true }), agentCall("TWO work"))],
      ONE: [async () => (await never.opened, reply(text("never")))],
      TWO: [reply(agentCall("THREE work"))],
      THREE: [async () => (await never.opened, reply(text("never")))],
    });
    const running = user.start([...BYPASS, "ROOT go"], { env: service(api) });
    await waitFor(() => api.of("ONE").length === 1 && api.of("THREE").length === 1);
    running.kill("SIGKILL");
    await running.ended;
    never.open();
    const rows = await taskRows(user);
    expect(rows.map(({ status, exit }) => [status, exit?.reason])).toEqual(rows.map(() => ["failed", "owner_lost"]));
    expect(rows.length).toBe(4);
  });

  test("one that was lost goes on from its transcript when it gets a message", async () => {
    using user = agentUser();
    const never = gate();
    await using api = startRoles({
      ROOT: [reply(agentCall("CHILD work", { name: "rev" })), reply(sendMessage("rev", "go on")), reply(text("waiting")), reply(text("done"))],
      CHILD: [bash("echo first"), async () => (await never.opened, reply(text("never"))), reply(text("two"))],
    });
    const running = user.start([...BYPASS, "-n", "nightly", "ROOT go"], { env: service(api) });
    await waitFor(() => api.of("CHILD").length === 2);
    running.kill("SIGKILL");
    await running.ended;
    never.open();
    expect(await user.run(["resume", "nightly", "go on"], { env: service(api) })).toMatchObject({ exitCode: 0, stdout: "done\n" });
    const [, second, third] = api.of("CHILD");
    expectGoesOn(third, second);
  });
});
