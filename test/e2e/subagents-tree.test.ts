import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { agentCall, bash, gate, inspected, sendMessage, service, startRoles, taskRows, told } from "../support/agent-roles.ts";
import { refusal, reply, text, type ApiRefusal, type ApiReply } from "../support/api-reply.ts";
import { lastResults } from "../support/request-messages.ts";
import { events, runResult } from "../support/run-events.ts";
import { agentUser, type AgentUser } from "../support/spawn-agent.ts";
import { taskNamed } from "../support/task-named.ts";
import { waitFor } from "../support/wait-for.ts";

const RUN = ["run", "--permission-mode", "bypassPermissions"];
const JSON_RUN = [...RUN, "--output-format", "json"];
const STREAM_RUN = [...RUN, "--output-format", "stream-json"];

describe("what is on record of agents below agents", () => {
  test("says of each whom it works for: in the events, in the transcripts, and in what is shown of them", async () => {
    using user = agentUser();
    await using api = startRoles({
      ROOT: [reply(agentCall("CHILD look", { name: "child", run_in_background: true })), reply(text("waiting"))],
      CHILD: [bash("echo seen by the child"), reply(agentCall("GRANDCHILD look", { name: "grandchild" })), reply(text("forty-two"))],
      GRANDCHILD: [bash("echo seen by the grandchild"), reply(text("twenty-one"))],
    });
    const run = await user.run([...STREAM_RUN, "-n", "top", "ROOT go"], { env: service(api) });
    expect(run.exitCode).toBe(0);
    const [root, child, grandchild] = await Promise.all(["top", "child", "grandchild"].map((name) => taskNamed(user, name)));
    const parentsOf = (id: string | undefined) => {
      const parents = events(run.stdout).filter((event) => event.task_id === id).map((event) => event.parent_task_id);
      expect(parents.length).toBeGreaterThan(0);
      return new Set(parents);
    };
    expect([root, child, grandchild].map((task) => [...parentsOf(task?.id)])).toEqual([[null], [root?.id ?? ""], [child?.id ?? ""]]);
    const shells = (await taskRows(user)).filter(({ type }) => type === "local_bash");
    for (const { id, parentTaskId } of shells) expect([...parentsOf(id)]).toEqual([parentTaskId]);
    for (const task of [child, grandchild]) await expectSidechain(user, task?.id ?? "");
    const shown = (await user.run(["logs", "child"])).stdout;
    const order = ["CHILD look", "echo seen by the child", "< seen by the child", "twenty-one", "forty-two"].map((words) => shown.indexOf(words));
    expect(order).not.toContain(-1);
    expect(order).toEqual(order.toSorted((one, other) => one - other));
    expect(shown).not.toContain("seen by the grandchild");
  });

  test("lets each be waited for, with its own last message and its own exit code", async () => {
    using user = agentUser();
    const both = gate();
    const last = (said: ApiReply | ApiRefusal) => async () => (await both.opened, said);
    await using api = startRoles({
      ROOT: [reply(agentCall("GOOD work", { run_in_background: true, name: "good" }), agentCall("BAD work", { run_in_background: true, name: "bad" })), reply(text("waiting"))],
      GOOD: [last(reply(text("good news")))],
      BAD: [bash("true"), last(refusal(400, "invalid_request_error", "not liked"))],
    });
    const running = user.start([...JSON_RUN, "ROOT go"], { env: service(api) });
    const [good, bad] = await Promise.all([taskNamed(user, "good"), taskNamed(user, "bad")]);
    const waiting = [user.start(["wait", good.id]), user.start(["wait", bad.id])];
    await waitFor(() => api.of("GOOD").length === 1 && api.of("BAD").length === 2);
    both.open();
    const [whileItRuns, whileItFails] = await Promise.all(waiting.map(({ ended }) => ended));
    expect((await running.ended).exitCode).toBe(0);
    expect(whileItRuns).toMatchObject({ exitCode: 0, stdout: "good news\n" });
    expect(whileItFails?.exitCode).toBe(1);
    // And the same of those that have ended already.
    expect(await user.run(["wait", good.id])).toMatchObject({ exitCode: 0, stdout: "good news\n" });
    expect((await user.run(["wait", bad.id])).exitCode).toBe(1);
  });
});

describe("stopping an agent in the middle of a line", () => {
  test("ends all below it and nothing above it, and nobody that was ended asks for anything more", async () => {
    using user = agentUser();
    const [hangs, goesOn] = [gate(), gate()];
    await using api = startRoles({
      ROOT: [reply(agentCall("ONE down", { name: "one" })), reply(text("the root goes on"))],
      ONE: [reply(agentCall("TWO down", { name: "two" })), async () => (await goesOn.opened, bash("echo still here")), reply(text("one goes on"))],
      TWO: [reply(agentCall("THREE down", { name: "three" }), agentCall("BESIDE down", { name: "beside", run_in_background: true }))],
      THREE: [async () => (await hangs.opened, bash("echo too late"))],
      BESIDE: [async () => (await hangs.opened, bash("echo too late"))],
    });
    const running = user.start([...JSON_RUN, "-n", "top", "ROOT go"], { env: service(api) });
    await waitFor(() => api.of("THREE").length === 1 && api.of("BESIDE").length === 1);
    expect((await user.run(["stop", "two"])).exitCode).toBe(0);
    await waitFor(() => api.of("ONE").length === 2);
    const statuses = async () => await Promise.all(["two", "three", "beside", "one", "top"].map(async (name) => (await taskNamed(user, name)).status));
    expect(await statuses()).toEqual(["killed", "killed", "killed", "running", "running"]);
    hangs.open();
    goesOn.open();
    const ended = await running.ended;
    expect([ended.exitCode, runResult(ended.stdout).result]).toEqual([0, "the root goes on"]);
    expect(await statuses()).toEqual(["killed", "killed", "killed", "completed", "completed"]);
    expect(lastResults(api.of("ONE")[1])[0]).toMatchObject({ isError: true, content: expect.stringContaining("Stopped on request") });
    expect(lastResults(api.of("ONE")[2])[0]).toMatchObject({ isError: false, content: "still here" });
    expect(["TWO", "THREE", "BESIDE"].map((role) => api.of(role).length)).toEqual([1, 1, 1]);
  });
});

describe("a child that is told who has sent it a message", () => {
  test("can answer to that: its parent and its sibling hear of it once", async () => {
    using user = agentUser();
    const [asked, rootAsked] = [gate(), gate()];
    const sender = (request: Parameters<typeof told>[0], words: string) => new RegExp(`<message from="([^"]+)">\\n${words}`).exec(told(request))?.[1] ?? "nobody";
    await using api = startRoles({
      ROOT: [
        reply(agentCall("ANSWERING work", { run_in_background: true, name: "answering" })),
        reply(sendMessage("answering", "a question of the root"), agentCall("SIBLING work", { run_in_background: true, name: "sibling" })),
        () => (rootAsked.open(), reply(text("waiting"))),
      ],
      SIBLING: [reply(sendMessage("answering", "a question of the sibling")), async () => (asked.open(), await waitFor(() => api.of("ANSWERING").length === 3), bash("true")), reply(text("heard"))],
      ANSWERING: [
        async () => (await asked.opened, await rootAsked.opened, bash("true")),
        (request) => reply(sendMessage(sender(request, "a question of the root"), "the answer for the root"), sendMessage(sender(request, "a question of the sibling"), "the answer for the sibling")),
        reply(text("both have an answer")),
      ],
    });
    const ended = await user.run([...JSON_RUN, "-n", "top", "ROOT go"], { env: service(api) });
    expect(ended.exitCode).toBe(0);
    expect(lastResults(api.of("ANSWERING")[2]).map(({ isError }) => isError)).toEqual([false, false]);
    const heard = (role: string) => told(api.of(role).at(-1)).match(/<message from="answering">\n[^<]*\n<\/message>/g);
    expect(heard("ROOT")).toEqual(['<message from="answering">\nthe answer for the root\n</message>']);
    expect(heard("SIBLING")).toEqual(['<message from="answering">\nthe answer for the sibling\n</message>']);
  });
});

async function expectSidechain(user: AgentUser, id: string): Promise<void> {
  const { detail } = await inspected(user, id);
  const lines = readFileSync(String(detail["transcriptPath"]), "utf8").trimEnd().split("\n");
  const entries = lines.map((line) => JSON.parse(line) as { uuid: string; parentUuid: string | null; isSidechain: boolean; agentId: string });
  expect(entries.length).toBeGreaterThan(4);
  expect(entries.map(({ isSidechain }) => isSidechain)).toEqual(entries.map(() => true));
  expect(entries.map(({ agentId }) => agentId)).toEqual(entries.map(() => id));
  expect(entries.map(({ parentUuid }) => parentUuid)).toEqual([null, ...entries.slice(0, -1).map(({ uuid }) => uuid)]);
}
