import { describe, expect, test } from "bun:test";
import { agentCall, bash, gate, inspected, notices, rootAndChild, sendMessage, service, startRoles, taskRows, told } from "../support/agent-roles.ts";
import { reply, text, toolUse } from "../support/api-reply.ts";
import { killHard } from "../support/processes.ts";
import { lastResults } from "../support/request-messages.ts";
import { events, runResult } from "../support/run-events.ts";
import { agentUser } from "../support/spawn-agent.ts";
import { waitFor } from "../support/wait-for.ts";

const BYPASS = ["run", "--output-format", "json", "--permission-mode", "bypassPermissions"];

describe("a subagent whose user went on with it by itself", () => {
  test("leaves the id of its session to the conversation that it came from", async () => {
    using user = agentUser();
    await using api = startRoles({ ROOT: [reply(agentCall("CHILD work")), reply(text("done")), reply(text("again"))], CHILD: [reply(text("one")), reply(text("two"))] });
    const { session_id: session } = runResult((await user.run([...BYPASS, "ROOT go"], { env: service(api) })).stdout);
    const [, child] = await rootAndChild(user);
    await user.run(["resume", child.id, "go on"], { env: service(api) });
    expect(await user.run(["resume", session, "and?"], { env: service(api) })).toMatchObject({ exitCode: 0, stdout: "again\n" });
  });

  test("keeps what was denied to it, and what it started then keeps that too", async () => {
    using user = agentUser();
    await using api = startRoles({
      ROOT: [reply(agentCall("ONE work", { name: "one" })), reply(text("done")), reply(sendMessage("one", "by the parent")), reply(text("waiting")), reply(text("done"))],
      ONE: [reply(text("1")), reply(agentCall("THREE work")), reply(text("1 again")), bash("ls", "toolu_ls"), reply(text("1 woken"))],
      THREE: [reply(text("3")), bash("ls"), reply(text("3 again"))],
    });
    await user.run([...BYPASS, "ROOT go"], { env: service(api) });
    const [root, one] = await rootAndChild(user);
    await user.run(["resume", "--deny", "Bash(ls:*)", "--max-budget-usd", "1", one.id, "go on"], { env: service(api) });
    const three = (await taskRows(user)).find(({ parentTaskId }) => parentTaskId === one.id)?.id ?? "";
    const resumed = await user.run(["resume", "--output-format", "stream-json", three, "go on"], { env: service(api) });
    expect(lastResults(api.of("THREE")[2])[0]?.content).toContain("Bash(ls:*)");
    expect(events(resumed.stdout)[0]).toMatchObject({ limits: { max_budget_usd: 1 } });
    await user.run(["resume", root.id, "ask it"], { env: service(api) });
    expect(lastResults(api.of("ONE").at(-1))[0]).toMatchObject({ isError: true, content: expect.stringContaining("Bash(ls:*)") });
  });

  test("tells its parent nothing when the process of that run dies, and the parent can wake it then", async () => {
    using user = agentUser();
    const [started, live] = [gate(), gate()];
    await using api = startRoles({
      ROOT: [reply(agentCall("CHILD work", { name: "rev" })), reply(text("first")), async () => (await live.opened, reply(sendMessage("rev", "and for me"))), reply(text("waiting")), reply(text("second"))],
      CHILD: [reply(text("one")), async () => (started.open(), await new Promise<never>(() => undefined)), reply(text("woken"))],
    });
    await user.run([...BYPASS, "ROOT go"], { env: service(api) });
    const [root, child] = await rootAndChild(user);
    await user.run(["resume", "-d", child.id, "go on"], { env: service(api) });
    await started.opened;
    const running = user.start(["resume", root.id, "ask it"], { env: service(api) });
    await waitFor(() => api.of("ROOT").length === 3);
    const { run } = (await inspected(user, child.id)) as unknown as { readonly run: { readonly pid: number } };
    await killHard(run.pid);
    live.open();
    expect(await running.ended).toMatchObject({ exitCode: 0, stdout: "second\n" });
    expect(api.of("ROOT").flatMap(notices).filter((notice) => notice.includes("is gone"))).toEqual([]);
    expect(told(api.of("CHILD").at(-1))).toContain("and for me");
  });

  test("is reached by its id while another one works that got its name", async () => {
    using user = agentUser();
    const over = gate();
    await using api = startRoles({
      ROOT: [reply(agentCall("ONE work", { name: "rev" })), reply(agentCall("TWO work", { name: "rev", run_in_background: true })), reply(text("waiting")), reply(text("waiting")), reply(text("done"))],
      ONE: [reply(text("1")), reply(text("1 again"))],
      TWO: [async () => (await over.opened, reply(text("2")))],
    });
    const running = user.start([...BYPASS, "ROOT go"], { env: service(api) });
    await waitFor(() => api.of("TWO").length === 1 && api.of("ROOT").length === 3);
    const one = (await taskRows(user)).find(({ name, status }) => name === "rev" && status === "completed")?.id ?? "";
    expect((await user.run(["send", one, "more"], { env: service(api) })).exitCode).toBe(0);
    await waitFor(() => api.of("ONE").length === 2);
    over.open();
    expect((await running.ended).exitCode).toBe(0);
  });

  test("says so where the directory in which it worked is gone, and works in another one", async () => {
    using user = agentUser();
    await user.shell("git init -q -b main && git -c user.name=t -c user.email=t@t commit -q --allow-empty -m first");
    await using api = startRoles({ ROOT: [reply(agentCall("CHILD work")), reply(text("done"))], CHILD: [reply(text("one")), reply(text("two"))] });
    await user.run([...BYPASS, "--isolation", "worktree", "ROOT go"], { env: service(api) });
    const [, child] = await rootAndChild(user);
    for (const command of ["resume", "send"]) {
      const refused = await user.run([command, child.id, "go on"], { env: service(api) });
      expect([refused.exitCode, refused.stderr.includes("--cwd DIR")]).toEqual([8, true]);
    }
    expect(await user.run(["resume", "--cwd", ".", child.id, "go on"], { env: service(api) })).toMatchObject({ exitCode: 0, stdout: "two\n" });
  });

  test("that has left its worktree stays out of it, however often it goes on", async () => {
    using user = agentUser();
    await user.shell("git init -q -b main && git -c user.name=t -c user.email=t@t commit -q --allow-empty -m first");
    await using api = startRoles({
      ROOT: [reply(agentCall("CHILD work")), reply(text("done"))],
      CHILD: [reply(toolUse("EnterWorktree", {})), bash("echo x >x.txt"), reply(toolUse("ExitWorktree", {})), reply(text("one")), bash("pwd", "toolu_1"), reply(text("two")), bash("pwd", "toolu_2"), reply(text("three"))],
    });
    await user.run([...BYPASS, "ROOT go"], { env: service(api) });
    const [, child] = await rootAndChild(user);
    for (const turn of [5, 7]) {
      await user.run(["resume", child.id, "go on"], { env: service(api) });
      expect(lastResults(api.of("CHILD")[turn])[0]?.content).toBe(user.project);
    }
    expect((await user.run(["diff", "--name-only", child.id])).stdout).toContain("x.txt");
  });

  test("is not stopped by an agent that it does not work for", async () => {
    using user = agentUser();
    const over = gate();
    const started = gate();
    await using api = startRoles({
      ROOT: [reply(agentCall("CHILD work")), reply(text("first")), async () => reply(toolUse("TaskStop", { task_id: (await rootAndChild(user))[1].id })), reply(text("second"))],
      CHILD: [reply(text("one")), async () => (started.open(), await over.opened, reply(text("two")))],
    });
    await user.run([...BYPASS, "ROOT go"], { env: service(api) });
    const [root, child] = await rootAndChild(user);
    const own = user.start(["resume", child.id, "go on"], { env: service(api) });
    await started.opened;
    await user.run(["resume", root.id, "stop it"], { env: service(api) });
    expect(lastResults(api.of("ROOT").at(-1))[0]).toMatchObject({ isError: true, content: expect.stringContaining("for its user") });
    over.open();
    expect(await own.ended).toMatchObject({ exitCode: 0, stdout: "two\n" });
  });
});
