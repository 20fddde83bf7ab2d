import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { agentCall, bash, gate, inspected, notices, noticesOnRecord, rootAndChild, sendMessage, service, startRoles, taskRows, told, toolNames } from "../support/agent-roles.ts";
import { reply, text, toolUse } from "../support/api-reply.ts";
import { expectGoesOn } from "../support/expect-goes-on.ts";
import { killHard } from "../support/processes.ts";
import { lastResults } from "../support/request-messages.ts";
import { events, runResult } from "../support/run-events.ts";
import { agentUser } from "../support/spawn-agent.ts";
import { waitFor } from "../support/wait-for.ts";

const BYPASS = ["run", "--output-format", "json", "--permission-mode", "bypassPermissions"];
const REPORT = "Scope: all\nResult: done\nFiles: none\nIssues: none";

describe("a subagent that its user goes on with", () => {
  test("has its conversation, byte for byte, with what it is told now; it stays the same task of the same parent", async () => {
    using user = agentUser();
    await using api = startRoles({
      ROOT: [reply(agentCall("CHILD work", { name: "rev" })), reply(text("done"))],
      CHILD: [bash("echo first"), reply(text("one")), reply(text("two")), reply(text("three"))],
    });
    await user.run([...BYPASS, "ROOT go"], { env: service(api) });
    const [root, child] = await rootAndChild(user);
    const resumed = await user.run(["resume", "--output-format", "stream-json", child.id, "go on"], { env: service(api) });
    expect(resumed.exitCode).toBe(0);
    expect(runResult(resumed.stdout)).toMatchObject({ result: "two", task_id: child.id, parent_task_id: root.id, status: "completed" });
    expect(events(resumed.stdout).filter(({ task_id: id }) => id === child.id).map((event) => event.parent_task_id)).not.toContain(null);
    const [, second, third] = api.of("CHILD");
    expectGoesOn(third, second);
    expect(told(third)).toEndWith("\ngo on");
    expect(await inspected(user, child.id)).toMatchObject({ attempt: 2, parentTaskId: root.id, name: "rev", status: "completed", detail: { agentType: "general-purpose", result: "two" } });
    // Also by its name, and once more.
    expect(await user.run(["resume", "rev", "and on"], { env: service(api) })).toMatchObject({ exitCode: 0, stdout: "three\n" });
    expectGoesOn(api.of("CHILD")[3], third);
    expect((await user.run(["ps", "-a", "--tree"])).stdout).toMatch(new RegExp(`^${root.id} .*\\n\\W+${child.id} `, "m"));
    // Whoever asked has the outcome; the conversation it came from is not told.
    expect(noticesOnRecord(user)).toEqual([]);
    expect(readFileSync(join(String((await inspected(user, root.id)).detail["transcriptPath"])), "utf8")).not.toContain("go on");
  });

  test("goes on in the background, and is woken by a message, as every agent", async () => {
    using user = agentUser();
    await using api = startRoles({
      ROOT: [reply(agentCall("CHILD work")), reply(text("done"))],
      CHILD: [reply(text("one")), reply(text("two")), reply(text("three")), reply(text("four"))],
    });
    await user.run([...BYPASS, "ROOT go"], { env: service(api) });
    const [, child] = await rootAndChild(user);
    expect((await user.run(["resume", "-d", child.id, "go on"], { env: service(api) })).stdout).toBe(`${child.id}\n`);
    expect(await user.run(["wait", child.id])).toMatchObject({ exitCode: 0, stdout: "two\n" });
    expect(await user.run(["send", "--wait", child.id, "and on"], { env: service(api) })).toMatchObject({ exitCode: 0, stdout: "three\n" });
    expect(await user.run(["send", "--wait", "--from", "ci", child.id, "and again"], { env: service(api) })).toMatchObject({ exitCode: 0, stdout: "four\n" });
    expect(told(api.of("CHILD").at(-1))).toEndWith('and on\n<message from="ci">\nand again\n</message>');
    expect(await inspected(user, child.id)).toMatchObject({ attempt: 4, status: "completed" });
  });

  test("after its process was killed is told that the outcome of its call is unknown", async () => {
    using user = agentUser();
    await using api = startRoles({ ROOT: [reply(agentCall("CHILD work", { run_in_background: true })), reply(text("waiting"))], CHILD: [bash("echo one >>log; sleep 60"), reply(text("recovered"))] });
    await user.run([...BYPASS.filter((word) => word !== "json" && word !== "--output-format"), "-d", "ROOT go"], { env: service(api) });
    await waitFor(() => existsSync(join(user.project, "log")));
    const [root, child] = await rootAndChild(user);
    const { run } = (await inspected(user, root.id)) as unknown as { readonly run: { readonly pid: number } };
    await killHard(run.pid);
    expect(await user.run(["resume", child.id, "what happened?"], { env: service(api) })).toMatchObject({ exitCode: 0, stdout: "recovered\n" });
    expect(lastResults(api.of("CHILD").at(-1))[0]?.content).toStartWith("Unknown outcome");
    expect(readFileSync(join(user.project, "log"), "utf8")).toBe("one\n");
  });

  test("hears in its own conversation what its parent says to it later, behind what its user said", async () => {
    using user = agentUser();
    await using api = startRoles({
      ROOT: [reply(agentCall("CHILD work", { name: "rev" })), reply(text("first")), reply(sendMessage("rev", "from the parent")), reply(text("waiting")), reply(text("second"))],
      CHILD: [reply(text("one")), reply(text("two")), reply(text("three"))],
    });
    await user.run([...BYPASS, "ROOT go"], { env: service(api) });
    const [root, child] = await rootAndChild(user);
    await user.run(["resume", child.id, "from the user"], { env: service(api) });
    expect((await user.run(["resume", root.id, "ask it"], { env: service(api) })).stdout).toBe("second\n");
    const last = told(api.of("CHILD").at(-1));
    expect(last.indexOf("from the user")).toBeGreaterThan(0);
    expect(last.indexOf("from the parent")).toBeGreaterThan(last.indexOf("from the user"));
    expect(notices(api.of("ROOT").at(-1)).length).toBe(1);
  });

  test("that ended before it was told anything cannot go on, which is said", async () => {
    using user = agentUser();
    await using api = startRoles({ ROOT: [reply(agentCall("CHILD work")), reply(text("done"))], CHILD: [reply(text("one"))] });
    await user.run([...BYPASS, "ROOT go"], { env: service(api) });
    const [root, child] = await rootAndChild(user);
    const path = String((await inspected(user, child.id)).detail["transcriptPath"]);
    await Bun.write(path, `${readFileSync(path, "utf8").split("\n")[0]}\n`);
    const refused = await user.run(["resume", child.id, "go on"], { env: service(api) });
    expect(refused).toMatchObject({ exitCode: 8, stdout: "" });
    expect(refused.stderr).toContain(root.id);
    expect((await inspected(user, child.id))["attempt"]).toBe(1);
  });
});

describe("what a subagent may do that its user goes on with", () => {
  test("is what the rules of its conversation and its definition let through, whatever a flag says", async () => {
    using user = agentUser();
    const agents = JSON.stringify({ planner: { description: "plans", prompt: "Plan.", permissionMode: "plan", maxTurns: 2 } });
    await using api = startRoles({
      ROOT: [reply(agentCall("CHILD work", { subagent_type: "planner" })), reply(text("done"))],
      CHILD: [reply(text("one")), reply(toolUse("Write", { file_path: "new.txt", content: "x" }, "toolu_w"), toolUse("Bash", { command: "ls" }, "toolu_b")), bash("pwd", "toolu_p"), reply(text("never said"))],
    });
    await user.run([...BYPASS, "--deny", "Bash(ls:*)", "--agents", agents, "ROOT go"], { env: service(api) });
    const [, child] = await rootAndChild(user);
    const resumed = await user.run(["resume", "--permission-mode", "bypassPermissions", "--max-turns", "9", "--output-format", "json", child.id, "go on"], { env: service(api) });
    expect(lastResults(api.of("CHILD")[2]).map(({ isError }) => isError)).toEqual([true, true]);
    expect(lastResults(api.of("CHILD")[2])[1]?.content).toContain("Bash(ls:*)");
    expect(existsSync(join(user.project, "new.txt"))).toBe(false);
    expect([resumed.exitCode, api.of("CHILD").length]).toEqual([5, 3]);
  });

  test("is what its user allows where its definition says nothing of it", async () => {
    using user = agentUser();
    await using api = startRoles({
      ROOT: [reply(agentCall("CHILD work")), reply(text("done"))],
      CHILD: [reply(text("one")), reply(toolUse("Write", { file_path: "new.txt", content: "x" }, "toolu_w")), reply(text("written"))],
    });
    await user.run(["run", "ROOT go"], { env: service(api) });
    const [, child] = await rootAndChild(user);
    expect((await user.run(["resume", "--permission-mode", "acceptEdits", child.id, "go on"], { env: service(api) })).exitCode).toBe(0);
    expect(readFileSync(join(user.project, "new.txt"), "utf8")).toBe("x");
  });

  test("stays without the tool that starts agents at the limit of depth, and below it what it starts works for it", async () => {
    using user = agentUser();
    await using api = startRoles({
      ROOT: [reply(agentCall("ONE work")), reply(text("done"))],
      ONE: [reply(agentCall("TWO work")), reply(text("1")), reply(agentCall("THREE work")), reply(text("1 again"))],
      TWO: [reply(text("2")), reply(text("2 again"))],
      THREE: [reply(text("3"))],
    });
    await user.run([...BYPASS, "--max-depth", "2", "ROOT go"], { env: service(api) });
    const rows = await taskRows(user);
    const root = rows.find(({ parentTaskId }) => parentTaskId === null)?.id;
    const one = rows.find(({ parentTaskId }) => parentTaskId === root)?.id ?? "";
    const two = rows.find(({ parentTaskId }) => parentTaskId === one)?.id ?? "";
    expect(await user.run(["resume", "--max-depth", "2", two, "go on"], { env: service(api) })).toMatchObject({ exitCode: 0, stdout: "2 again\n" });
    expect(api.of("TWO").map((request) => toolNames(request).includes("Agent"))).toEqual([false, false]);
    expect(await user.run(["resume", "--max-depth", "2", one, "go on"], { env: service(api) })).toMatchObject({ exitCode: 0, stdout: "1 again\n" });
    const parents = Object.fromEntries((await taskRows(user)).map(({ id, parentTaskId }) => [id, parentTaskId]));
    expect(parents[one]).toBe(root ?? "");
    expect(Object.values(parents).filter((parent) => parent === one).length).toBe(2);
    expect(toolNames(api.of("THREE")[0])).not.toContain("Agent");
  });

  test("of a fork is nothing new: the bytes of before, and no agent of its own", async () => {
    using user = agentUser();
    await using api = startRoles({
      ROOT: [reply(agentCall("PART work")), reply(text("waiting")), reply(text("done"))],
      PART: [reply(text(REPORT)), reply(agentCall("DEEPER work")), reply(text(REPORT))],
    });
    const env = { ...service(api), AGENT_FORK_SUBAGENTS: "1" };
    await user.run([...BYPASS, "ROOT go"], { env });
    const [, child] = await rootAndChild(user);
    expect((await user.run(["resume", child.id, "go on"], { env })).exitCode).toBe(0);
    const [first, second, third] = api.of("PART");
    expectGoesOn(second, first);
    expect(lastResults(third)[0]).toMatchObject({ isError: true, content: expect.stringContaining("a fork does its work itself") });
  });

  test("includes the answer that its user wants in a given form", async () => {
    using user = agentUser();
    const schema = JSON.stringify({ type: "object", properties: { by: { type: "string" } }, required: ["by"] });
    await using api = startRoles({
      ROOT: [reply(agentCall("CHILD work")), reply(text("done"))],
      CHILD: [reply(text("one")), reply(toolUse("SyntheticOutput", { by: "child" }, "toolu_answer"))],
    });
    await user.run([...BYPASS, "ROOT go"], { env: service(api) });
    const [, child] = await rootAndChild(user);
    const resumed = await user.run(["resume", "--json-schema", schema, "--output-format", "json", child.id, "again, as data"], { env: service(api) });
    expect([resumed.exitCode, runResult(resumed.stdout).structured_output]).toEqual([0, { by: "child" }]);
  });
});

describe("a subagent with a worktree of its own", () => {
  test("goes on there, and what it does stays on its branch", async () => {
    using user = agentUser();
    await user.shell("git init -q -b main && git -c user.name=t -c user.email=t@t commit -q --allow-empty -m first");
    await using api = startRoles({
      ROOT: [reply(agentCall("CHILD work", { isolation: "worktree" })), reply(text("done"))],
      CHILD: [bash("echo one >one.txt", "toolu_1"), reply(text("one")), bash("cat one.txt; echo two >two.txt", "toolu_2"), reply(text("two"))],
    });
    await user.run([...BYPASS, "ROOT go"], { env: service(api) });
    const [, child] = await rootAndChild(user);
    expect((await user.run(["resume", child.id, "go on"], { env: service(api) })).stdout).toContain("two\n");
    expect(lastResults(api.of("CHILD")[3])[0]).toMatchObject({ isError: false, content: "one" });
    const diff = (await user.run(["diff", child.id])).stdout;
    expect(["one.txt", "two.txt"].map((name) => diff.includes(name))).toEqual([true, true]);
    expect(existsSync(join(user.project, "two.txt"))).toBe(false);
  });
});

describe("while an agent above it works, a subagent that has ended", () => {
  test("is not gone on with by itself; a message lets it go on there, and its end is told", async () => {
    using user = agentUser();
    const go = gate();
    await using api = startRoles({
      ROOT: [reply(agentCall("CHILD work", { name: "rev" })), async () => (await go.opened, reply(text("waiting"))), reply(text("done"))],
      CHILD: [reply(text("one")), reply(text("two"))],
    });
    const running = user.start([...BYPASS, "ROOT go"], { env: service(api) });
    await waitFor(() => api.of("ROOT").length === 2);
    const [root, child] = await rootAndChild(user);
    const refused = await user.run(["resume", child.id, "go on"], { env: service(api) });
    expect(refused.exitCode).toBe(8);
    expect(refused.stderr).toContain(`"agent send ${child.id}"`);
    const sent = await user.run(["send", "-v", child.id, "what else"], { env: service(api) });
    expect(sent).toMatchObject({ exitCode: 0, stderr: "" });
    await waitFor(() => api.of("CHILD").length === 2);
    go.open();
    const { stdout, exitCode } = await running.ended;
    expect([exitCode, runResult(stdout).result]).toEqual([0, "done"]);
    expect(told(api.of("CHILD")[1])).toEndWith("\nwhat else");
    expectGoesOn(api.of("CHILD")[1], api.of("CHILD")[0]);
    expect(notices(api.of("ROOT").at(-1)).map((notice) => notice.includes("<result>two</result>"))).toEqual([true]);
    expect(noticesOnRecord(user)).toMatchObject([{ task_id: child.id, attempt: 2, recipient_task_id: root.id }]);
    expect((await user.run(["events", root.id])).stdout).toContain(`"message_id":"${sent.stdout.trim()}"`);
  });

  test("works for its user alone where its user went on with it first", async () => {
    using user = agentUser();
    const [started, over] = [gate(), gate()];
    await using api = startRoles({
      ROOT: [reply(agentCall("CHILD work", { name: "rev" })), reply(text("first")), reply(sendMessage("rev", "and for me")), reply(text("second"))],
      CHILD: [reply(text("one")), async () => (started.open(), await over.opened, reply(text("two")))],
    });
    await user.run([...BYPASS, "ROOT go"], { env: service(api) });
    const [root, child] = await rootAndChild(user);
    const own = user.start(["resume", child.id, "go on"], { env: service(api) });
    await started.opened;
    expect((await user.run(["resume", root.id, "ask it"], { env: service(api) })).stdout).toBe("second\n");
    expect(lastResults(api.of("ROOT").at(-1))[0]).toMatchObject({ isError: true, content: expect.stringContaining("for its user") });
    over.open();
    expect(await own.ended).toMatchObject({ exitCode: 0, stdout: "two\n" });
    expect(told(api.of("CHILD").at(-1))).not.toContain("and for me");
  });
});
