import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { agentCall, bash, gate, inspected, notices, service, startRoles, taskRows, told, toolNames } from "../support/agent-roles.ts";
import { reply, text, toolUse } from "../support/api-reply.ts";
import { lastResults } from "../support/request-messages.ts";
import { events, eventsOfType, runResult } from "../support/run-events.ts";
import { agentUser } from "../support/spawn-agent.ts";
import { waitFor } from "../support/wait-for.ts";

const BYPASS = ["run", "--output-format", "json", "--permission-mode", "bypassPermissions"];
const EMPTY = reply();
const REPORT = "Scope: all\nResult: done\nFiles: none\nIssues: none";

describe("what an agent said last", () => {
  test("stands where it only says nothing to what the program reminds it of", async () => {
    using user = agentUser();
    await using api = startRoles({
      ROOT: [reply(agentCall("CHILD work")), reply(text("done"))],
      CHILD: [reply(toolUse("Bash", { command: "sleep 60", run_in_background: true })), reply(text("THE LONG REPORT")), EMPTY],
    });
    expect((await user.run([...BYPASS, "ROOT go"], { env: service(api) })).exitCode).toBe(0);
    expect(lastResults(api.of("ROOT")[1])[0]).toMatchObject({ isError: false, content: expect.stringContaining("THE LONG REPORT") });
  });

  test("comes with its failure where it ended without an answer, in the foreground and in the background", async () => {
    using user = agentUser();
    await using api = startRoles({
      ROOT: [reply(agentCall("BEFORE work")), reply(agentCall("BEHIND work", { run_in_background: true })), reply(text("waiting")), reply(text("done"))],
      BEFORE: [reply(text("EARLIER FINDINGS"), toolUse("Bash", { command: "true" })), EMPTY],
      BEHIND: [reply(text("OTHER FINDINGS"), toolUse("Bash", { command: "true" })), EMPTY],
    });
    expect((await user.run([...BYPASS, "ROOT go"], { env: service(api) })).exitCode).toBe(0);
    expect(lastResults(api.of("ROOT")[1])[0]).toMatchObject({ isError: true, content: expect.stringMatching(/EARLIER FINDINGS[\s\S]*without an answer/) });
    const [notice] = notices(api.of("ROOT").at(-1));
    expect(["<status>failed</status>", "<result>OTHER FINDINGS</result>"].map((part) => notice?.includes(part))).toEqual([true, true]);
  });

  test("is the result of a run that ended without an answer, which is no success", async () => {
    using user = agentUser();
    await using api = startRoles({ ROOT: [reply(text("so far"), toolUse("Bash", { command: "true" })), EMPTY] });
    const run = await user.run([...BYPASS, "ROOT go"], { env: service(api) });
    expect([run.exitCode, runResult(run.stdout)]).toMatchObject([1, { result: "so far", exit: { reason: "failed" }, error: { code: "no_answer" } }]);
  });
});

describe("an agent in isolation", () => {
  test("is told where it works when it is a copy of its parent, and no mode lets it write what it was copied from", async () => {
    using user = agentUser();
    await user.shell("git init -q -b main && echo one >a.txt && git add a.txt && git -c user.name=t -c user.email=t@t commit -q -m first");
    const original = join(user.project, "a.txt");
    await using api = startRoles({
      ROOT: [reply(toolUse("Read", { file_path: original })), reply(agentCall("PART work", { isolation: "worktree" })), reply(text("waiting")), reply(text("done"))],
      PART: [reply(toolUse("Edit", { file_path: original, old_string: "one", new_string: "two" }, "toolu_e"), toolUse("Write", { file_path: original, content: "three" }, "toolu_w")), bash("echo new >new.txt", "toolu_b"), reply(text(REPORT))],
    });
    const run = await user.run([...BYPASS, "ROOT go"], { env: { ...service(api), AGENT_FORK_SUBAGENTS: "1" } });
    expect(run.exitCode).toBe(0);
    const child = (await taskRows(user)).find(({ parentTaskId, type }) => parentTaskId !== null && type === "local_agent");
    const { worktreePath } = (await inspected(user, child?.id ?? "")).detail;
    expect(told(api.of("PART")[0])).toContain(`your working directory is ${String(worktreePath)}`);
    for (const result of lastResults(api.of("PART")[1])) expect(result).toMatchObject({ isError: true, content: expect.stringContaining("of which the agent works in a copy") });
    expect(readFileSync(original, "utf8")).toBe("one\n");
    expect([existsSync(join(user.project, "new.txt")), existsSync(join(String(worktreePath), "new.txt"))]).toEqual([false, true]);
    // Whoever started it learns where its work is.
    expect(notices(api.of("ROOT").at(-1))[0]).toContain(`<worktree><path>${String(worktreePath)}</path><branch>agent/${child?.id}</branch></worktree>`);
  });
});

describe("calls of agents that were refused", () => {
  test("stand in the result of the run with the agent whose they were, and in the notice of its end", async () => {
    using user = agentUser();
    await using api = startRoles({
      ROOT: [reply(agentCall("ONE work", { run_in_background: true }), agentCall("TWO work")), reply(text("waiting")), reply(text("done"))],
      ONE: [bash("rm x"), reply(text("1"))],
      TWO: [bash("rm x"), reply(text("2"))],
    });
    const run = await user.run([...BYPASS, "--deny", "Bash(rm:*)", "ROOT go"], { env: service(api) });
    const agents = (await taskRows(user)).filter(({ parentTaskId }) => parentTaskId !== null).map(({ id }) => id);
    expect([run.exitCode, runResult(run.stdout).permission_denials.map(({ task_id: id }) => String(id)).toSorted()]).toEqual([0, agents.toSorted()]);
    expect(api.of("ROOT").flatMap(notices).join("")).toContain("<refused-calls>1</refused-calls>");
    // Nor would a helper be let through.
    expect(lastResults(api.of("TWO")[1])[0]?.content).toEndWith("Agents that you start may do no more than you");
  });
});

describe("what a misspelt field would have forbidden", () => {
  test.each(["tool: Read", "Tools: Read", "allowed-tools: Read", "disallowedTool: Bash", "permision_mode: plan", "max_turns: 2"])("is not allowed for it: %s", async (field) => {
    using user = agentUser();
    await user.shell(`mkdir -p .agent/agents && printf -- '---\\nname: proj\\ndescription: d\\n${field}\\n---\\nBe.\\n' > .agent/agents/proj.md`);
    await using api = startRoles({ ROOT: [reply(agentCall("CHILD work", { subagent_type: "proj" })), reply(text("done"))], CHILD: [reply(text("never"))] });
    await user.run([...BYPASS, "ROOT go"], { env: service(api) });
    expect(lastResults(api.of("ROOT")[1])[0]).toMatchObject({ isError: true, content: expect.stringContaining("did you mean") });
    expect([api.of("CHILD").length, (await user.run([...BYPASS, "--agent", "proj", "ROOT go"], { env: service(api) })).exitCode]).toEqual([0, 2]);
  });

  test("of another kind is said once, and the agent works", async () => {
    using user = agentUser();
    await user.shell("mkdir -p .agent/agents && printf -- '---\nname: proj\ndescription: d\ncolour: red\n---\nBe.\n' > .agent/agents/proj.md");
    await using api = startRoles({ ROOT: [reply(agentCall("CHILD work", { subagent_type: "proj" }), agentCall("MORE work", { subagent_type: "proj" })), reply(text("done"))], CHILD: [reply(text("1"))], MORE: [reply(text("2"))] });
    const run = await user.run([...BYPASS, "ROOT go"], { env: service(api) });
    expect([run.exitCode, run.stderr.split('unknown field "colour"').length - 1]).toEqual([0, 1]);
  });
});

describe("while an agent works", () => {
  test("each of its calls is told of as it begins, with the latest five", async () => {
    using user = agentUser();
    const calls = Array.from({ length: 8 }, (_, index) => bash(`true ${index}`, `toolu_${index}`));
    await using api = startRoles({ ROOT: [reply(agentCall("CHILD work")), reply(text("done"))], CHILD: [...calls, reply(text("ok"))] });
    const run = await user.run(["run", "--output-format", "stream-json", "--permission-mode", "bypassPermissions", "ROOT go"], { env: service(api) });
    const progress = eventsOfType(events(run.stdout), "task.progress").filter(({ parent_task_id: parent }) => parent !== null);
    expect(progress.map(({ tool_use_count: count }) => count)).toEqual(expect.arrayContaining([1, 2, 3, 4, 5, 6, 7, 8]));
    expect(progress.at(-1)?.recent_activities).toEqual([3, 4, 5, 6, 7].map((index) => expect.stringContaining(`true ${index}`)));
  });

  test("its record says within a second what it does now", async () => {
    using user = agentUser();
    await using api = startRoles({ ROOT: [reply(agentCall("CHILD work")), reply(text("done"))], CHILD: [bash("true", "toolu_1"), bash("until [ -e go ]; do sleep 0.02; done", "toolu_2"), reply(text("ok"))] });
    const running = user.start([...BYPASS, "ROOT go"], { env: service(api) });
    const child = await waitFor(async () => (await taskRows(user)).find(({ parentTaskId, type }) => parentTaskId !== null && type === "local_agent")?.id);
    await waitFor(async () => (await inspected(user, child)).detail["progress"] !== undefined && JSON.stringify((await inspected(user, child)).detail["progress"]).includes("until"));
    await user.shell("touch go");
    expect((await running.ended).exitCode).toBe(0);
  });
});

describe("the first Ctrl-C", () => {
  test("ends the turn and lets the agents in the background finish; the run is interrupted, and hears of them when it goes on", async () => {
    using user = agentUser();
    const [asked, works] = [gate(), gate()];
    await using api = startRoles({
      ROOT: [reply(agentCall("BEHIND work", { run_in_background: true }), agentCall("BEFORE work")), reply(text("heard"))],
      BEHIND: [async () => (await works.opened, reply(text("from behind")))],
      BEFORE: [async () => (asked.open(), await works.opened, reply(text("too late")))],
    });
    const running = user.start([...BYPASS, "ROOT go"], { env: service(api) });
    await asked.opened;
    await waitFor(() => api.of("BEHIND").length === 1);
    running.kill("SIGINT");
    const agents = async () => (await taskRows(user)).filter(({ parentTaskId }) => parentTaskId !== null).map(({ status }) => status).toSorted();
    await waitFor(async () => (await agents()).includes("killed"));
    expect(await agents()).toEqual(["killed", "running"]);
    works.open();
    const { exitCode, stdout } = await running.ended;
    expect([exitCode, runResult(stdout).exit.reason, await agents()]).toEqual([130, "interrupted", ["completed", "killed"]]);
    expect(api.of("ROOT").length).toBe(1);
    const root = (await taskRows(user)).find(({ parentTaskId }) => parentTaskId === null)?.id ?? "";
    expect((await user.run(["resume", root, "and?"], { env: service(api) })).stdout).toBe("heard\n");
    expect(notices(api.of("ROOT")[1]).filter((notice) => notice.includes("from behind")).length).toBe(1);
  });

  test("while the run only waits for them is no success either; a second one ends everything", async () => {
    using user = agentUser();
    const never = gate();
    await using api = startRoles({ ROOT: [reply(agentCall("BEHIND work", { run_in_background: true })), reply(text("waiting"))], BEHIND: [async () => (await never.opened, reply(text("late")))] });
    const running = user.start([...BYPASS, "ROOT go"], { env: service(api) });
    await waitFor(() => api.of("ROOT").length === 2 && api.of("BEHIND").length === 1);
    running.kill("SIGINT");
    await waitFor(() => running.stderrSoFar().includes("agents in the background are waited for"));
    running.kill("SIGINT");
    const { exitCode, stdout } = await running.ended;
    expect([exitCode, runResult(stdout).exit.reason]).toEqual([130, "interrupted"]);
    expect((await taskRows(user)).find(({ parentTaskId }) => parentTaskId !== null)?.status).toBe("killed");
    never.open();
  });
});

test("all agents that others have started are stopped at once, and those who started them go on", async () => {
  using user = agentUser();
  const never = gate();
  await using api = startRoles({
    ROOT: [reply(agentCall("ONE work", { run_in_background: true }), agentCall("TWO work", { run_in_background: true })), reply(text("waiting")), reply(text("done"))],
    ONE: [async () => (await never.opened, reply(text("late")))],
    TWO: [reply(agentCall("THREE work")), reply(text("late"))],
    THREE: [async () => (await never.opened, reply(text("late")))],
  });
  const running = user.start([...BYPASS, "ROOT go"], { env: service(api) });
  await waitFor(() => api.of("ONE").length === 1 && api.of("THREE").length === 1);
  expect((await user.run(["stop", "--all-agents"])).exitCode).toBe(0);
  const { exitCode, stdout } = await running.ended;
  expect([exitCode, runResult(stdout).result]).toEqual([0, "done"]);
  expect((await taskRows(user)).map(({ status }) => status).toSorted()).toEqual(["completed", "killed", "killed", "killed"]);
  expect(toolNames(api.of("ROOT")[0])).toContain("Agent");
  never.open();
});
