import { describe, expect, test } from "bun:test";
import { agentCall, bash, service, startRoles, taskRows, type Said } from "../support/agent-roles.ts";
import { refusal, reply, text, toolUse } from "../support/api-reply.ts";
import { expectGoesOn } from "../support/expect-goes-on.ts";
import { lastResults } from "../support/request-messages.ts";
import { events, eventsOfType, runResult } from "../support/run-events.ts";
import { agentUser } from "../support/spawn-agent.ts";

const BYPASS = ["run", "--permission-mode", "bypassPermissions"];
const MANY = 50;

describe("a reply that calls the shell and agents", () => {
  test("is answered in the order of its calls, and the conversation goes on later with the bytes of before", async () => {
    using user = agentUser();
    await using api = startRoles({
      ROOT: [
        reply(toolUse("Bash", { command: "echo before" }, "toolu_before"), agentCall("CHILD work"), toolUse("Bash", { command: "echo behind" }, "toolu_behind")),
        reply(text("three answers")),
        reply(text("and on")),
      ],
      CHILD: [bash("echo inside"), reply(text("from the child"))],
    });
    expect(await user.run([...BYPASS, "-n", "mixed", "ROOT go"], { env: service(api) })).toMatchObject({ exitCode: 0, stdout: "three answers\n" });
    expect(lastResults(api.of("ROOT")[1])).toEqual([
      { id: "toolu_before", content: "before", isError: false },
      { id: "toolu_CHILD", content: "from the child", isError: false },
      { id: "toolu_behind", content: "behind", isError: false },
    ]);
    expect(await user.run(["resume", "mixed", "go on"], { env: service(api) })).toMatchObject({ exitCode: 0, stdout: "and on\n" });
    const [, second, third] = api.of("ROOT");
    expectGoesOn(third, second);
    expect(third?.text).toContain("go on");
  });
});

describe("many agents at once", () => {
  test("all finish although the service often says that it is too much", async () => {
    using user = agentUser();
    const tooMuch = refusal(429, "rate_limit_error", "slow down", { "retry-after": "0" });
    const names = Array.from({ length: 8 }, (_, index) => `CHILD${index}`);
    const work = (name: string): readonly Said[] => [tooMuch, bash(`echo ${name}`), tooMuch, reply(text(`answer of ${name}`))];
    await using api = startRoles({
      ROOT: [tooMuch, reply(...names.map((name) => agentCall(`${name} work`))), tooMuch, reply(text("all eight"))],
      ...Object.fromEntries(names.map((name) => [name, work(name)])),
    });
    const env = { ...service(api), AGENT_API_ATTEMPTS: "10" };
    const run = await user.run([...BYPASS, "--output-format", "json", "--max-concurrency", "3", "ROOT go"], { env });
    expect([run.exitCode, runResult(run.stdout).result]).toEqual([0, "all eight"]);
    expect(lastResults(api.of("ROOT").at(-1))).toEqual(names.map((name) => ({ id: `toolu_${name}`, content: `answer of ${name}`, isError: false })));
    expect(names.map((name) => api.of(name).length)).toEqual(names.map(() => 4));
    expect((await taskRows(user)).map(({ status }) => status)).not.toContain("failed");
  });

  test("are told of in lines that each are one event and name whose it is", async () => {
    using user = agentUser();
    const names = Array.from({ length: MANY }, (_, index) => `CHILD${index}`);
    await using api = startRoles({
      ROOT: [reply(...names.map((name) => agentCall(`${name} work`, { name, run_in_background: true }))), reply(text("waiting"))],
      ...Object.fromEntries(names.map((name) => [name, [bash(`echo ${name}`), reply(text(`answer of ${name}`))]])),
    });
    const run = await user.run([...BYPASS, "--output-format", "stream-json", "ROOT go"], { env: service(api) });
    expect(run.exitCode).toBe(0);
    const all = events(run.stdout);
    const rows = await taskRows(user);
    const agents = rows.filter(({ parentTaskId, type }) => parentTaskId !== null && type === "local_agent");
    const root = rows.find(({ parentTaskId }) => parentTaskId === null)?.id;
    expect(agents.length).toBe(MANY);
    expect(new Set(agents.map(({ name }) => name))).toEqual(new Set(names));
    const known = new Set<string | null>(rows.map(({ id }) => id));
    expect(all.filter((event) => !known.has(event.task_id))).toEqual([]);
    const started = eventsOfType(all, "task.started").filter(({ task_id: id }) => agents.some((agent) => agent.id === id));
    expect(started.map(({ parent_task_id: parent }) => parent)).toEqual(names.map(() => root ?? null));
    const ended = eventsOfType(all, "task.updated").map(({ task_id: id }) => id);
    for (const { id } of agents) expect(ended).toContain(id);
  });
});
