import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runResult } from "../support/run-events.ts";
import { agentUser, type AgentUser } from "../support/spawn-agent.ts";

const RUN = ["run", "--permission-mode", "acceptEdits", "--allow", "Bash(git:*)", "--output-format", "json", "-m"];
const call = (tool: string, input: Record<string, unknown> = {}) => ({ reply: [{ tool, input }] });
const DONE = { reply: [{ text: "done" }] };

async function repositoryUser(): Promise<AgentUser> {
  const user = agentUser();
  writeFileSync(join(user.project, "a.txt"), "a\n");
  await user.shell("git init -q -b main . && git add . && git -c user.name=t -c user.email=t@t.test commit -qm begin");
  return user;
}

describe("an agent that enters a worktree", () => {
  test("works there from then on, leaves the checkout alone, and its changes stay for whoever applies them", async () => {
    using user = await repositoryUser();
    const model = user.script([call("EnterWorktree"), call("Write", { file_path: "new.txt", content: "new\n" }), call("Bash", { command: "pwd" }), DONE]);
    const { task_id: id, worktree } = runResult((await user.run([...RUN, model, "go"])).stdout);
    expect([existsSync(join(user.project, "new.txt")), worktree?.kept]).toEqual([false, true]);
    expect((await user.run(["diff", "--name-only", id])).stdout).toBe("A\tnew.txt\n");
    expect(await user.run(["apply", id])).toMatchObject({ exitCode: 0 });
    expect(readFileSync(join(user.project, "new.txt"), "utf8")).toBe("new\n");
  });

  test("comes back to where it began; the worktree goes if nothing was changed", async () => {
    using user = await repositoryUser();
    const model = user.script([call("EnterWorktree"), call("ExitWorktree"), call("Write", { file_path: "here.txt", content: "" }), DONE]);
    const { exit } = runResult((await user.run([...RUN, model, "go"])).stdout);
    expect([exit.code, existsSync(join(user.project, "here.txt"))]).toEqual([0, true]);
    expect((await user.shell("git worktree list | wc -l; git branch --list 'agent/*'")).stdout.trim()).toBe("1");
  });

  test("finds what it has changed when it enters again, and a resumed conversation begins where it was left", async () => {
    using user = await repositoryUser();
    const steps = [call("EnterWorktree"), call("Write", { file_path: "new.txt", content: "new\n" }), call("ExitWorktree"), call("EnterWorktree"), call("Read", { file_path: "new.txt" }), call("ExitWorktree"), DONE];
    const model = user.script([...steps, call("Write", { file_path: "after.txt", content: "" }), DONE]);
    const { task_id: id, exit } = runResult((await user.run([...RUN, model, "go"])).stdout);
    expect(exit.code).toBe(0);
    expect((await user.run(["events", id])).stdout).not.toContain('"is_error":true');
    const resumed = await user.run(["resume", id, "go on"]);
    expect([resumed.exitCode, existsSync(join(user.project, "after.txt")), existsSync(join(user.project, "new.txt"))]).toEqual([0, true, false]);
    expect((await user.run(["diff", "--name-only", id])).stdout).toBe("A\tnew.txt\n");
  });

  test("may not write in the checkout that it has left", async () => {
    using user = await repositoryUser();
    const model = user.script([call("EnterWorktree"), call("Write", { file_path: join(user.project, "b.txt"), content: "" }), DONE]);
    const { permission_denials: denials } = runResult((await user.run([...RUN, model, "go"])).stdout);
    expect([denials.length, existsSync(join(user.project, "b.txt"))]).toEqual([1, false]);
  });
});

test.each([
  ["twice", ["EnterWorktree", "EnterWorktree"], "you work in one already"],
  ["without having entered", ["ExitWorktree"], "you have entered none"],
])("%s is one clear error", async (_how, tools, said) => {
  using user = await repositoryUser();
  const { task_id: id } = runResult((await user.run([...RUN, user.script([...tools.map((tool) => call(tool)), DONE]), "go"])).stdout);
  expect((await user.run(["events", id])).stdout).toContain(said);
});

test("outside of a repository there is no worktree, and the agent works on where it is", async () => {
  using user = agentUser();
  const model = user.script([call("EnterWorktree"), call("Write", { file_path: "a.txt", content: "" }), DONE]);
  const { exit } = runResult((await user.run([...RUN, model, "go"])).stdout);
  expect([exit.code, existsSync(join(user.project, "a.txt"))]).toEqual([0, true]);
});
