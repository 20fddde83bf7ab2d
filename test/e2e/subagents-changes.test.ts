import { describe, expect, test } from "bun:test";
import { cpSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { agentCall, bash, inspected, sendMessage, service, startRoles, taskRows, type AgentRow } from "../support/agent-roles.ts";
import { reply, text } from "../support/api-reply.ts";
import { gitFixture, type GitFixture } from "../support/git-fixture.ts";
import { lastResults } from "../support/request-messages.ts";
import { agentUser, type AgentUser } from "../support/spawn-agent.ts";
import { taskNamed } from "../support/task-named.ts";

const RUN = ["run", "--permission-mode", "bypassPermissions"];
const COMMITS = "echo made > made.txt && git add made.txt && git commit -qm 'made by the child' && echo draft > draft.txt";

function repository(user: AgentUser): GitFixture {
  const fixture = gitFixture();
  cpSync(fixture.repository, user.project, { recursive: true });
  cpSync(`${fixture.home}/.gitconfig`, `${user.home}/.gitconfig`);
  return fixture;
}

/** A child that has committed one file in a worktree of its own and left another one there. */
async function childWithChanges(user: AgentUser): Promise<AgentRow & { readonly path: string; readonly branch: string }> {
  await using api = startRoles({
    ROOT: [reply(agentCall("CHILD change", { isolation: "worktree", name: "rev" })), reply(text("done"))],
    CHILD: [bash(COMMITS), reply(text("changed it"))],
  });
  expect(await user.run([...RUN, "ROOT go"], { env: service(api) })).toMatchObject({ exitCode: 0, stdout: "done\n" });
  expect(lastResults(api.of("CHILD")[1])[0]?.isError).toBe(false);
  const child = await taskNamed(user, "rev");
  const { detail } = await inspected(user, child.id);
  return { ...child, path: String(detail["worktreePath"]), branch: String(detail["worktreeBranch"]) };
}

describe("what a child has changed in its worktree", () => {
  test("is merged into the original checkout with its commits, and the worktree goes", async () => {
    using user = agentUser();
    using fixture = repository(user);
    const git = (...args: string[]) => fixture.git(user.project, ...args);
    const child = await childWithChanges(user);
    expect([existsSync(join(user.project, "made.txt")), existsSync(child.path)]).toEqual([false, true]);
    const applied = await user.run(["apply", "--merge", child.id]);
    expect(applied).toMatchObject({ exitCode: 0, stdout: "" });
    expect(applied.stderr).toContain("merged in");
    expect(["made.txt", "draft.txt"].map((name) => readFileSync(join(user.project, name), "utf8"))).toEqual(["made\n", "draft\n"]);
    expect(git("rev-list", "--parents", "-1", "HEAD").trim().split(" ").length).toBe(3);
    expect(git("log", "--format=%s")).toContain("made by the child");
    expect(git("status", "--porcelain")).toBe("");
    expect([existsSync(child.path), git("worktree", "list").trim().split("\n").length]).toEqual([false, 1]);
    // Once is enough.
    const head = git("rev-parse", "HEAD");
    for (const mode of [["--merge"], ["--cherry"], ["--squash"], []]) {
      const again = await user.run(["apply", ...mode, child.id]);
      expect([again.exitCode, again.stderr.includes(`refs/agent/${child.id}`)]).toEqual([8, true]);
    }
    expect(git("rev-parse", "HEAD")).toBe(head);
  });

  test("is thrown away where its user says so, and a ref still holds all of it", async () => {
    using user = agentUser();
    using fixture = repository(user);
    const git = (...args: string[]) => fixture.git(user.project, ...args);
    const before = git("rev-parse", "HEAD");
    const child = await childWithChanges(user);
    expect(await user.run(["discard", child.id])).toMatchObject({ exitCode: 0, stdout: `refs/agent/${child.id}\n` });
    expect([git("rev-parse", "HEAD"), git("status", "--porcelain"), existsSync(child.path)]).toEqual([before, "", false]);
    expect(git("worktree", "list").trim().split("\n").length).toBe(1);
    expect(["made.txt", "draft.txt"].map((name) => git("show", `refs/agent/${child.id}:${name}`))).toEqual(["made\n", "draft\n"]);
    expect((await inspected(user, child.id)).status).toBe("completed");
  });
});

describe("a message to a child whose worktree somebody has deleted", () => {
  test("is refused with the reason, and what the child has committed and said is still there", async () => {
    using user = agentUser();
    using fixture = repository(user);
    const child = await childWithChanges(user);
    rmSync(child.path, { recursive: true });
    const transcript = readFileSync(String((await inspected(user, child.id)).detail["transcriptPath"]), "utf8");
    await using api = startRoles({ CHILD: [reply(text("never"))] });
    const sent = await user.run(["send", child.id, "and more"], { env: service(api) });
    expect(sent.stdout).toBe("");
    expect(sent.exitCode).not.toBe(0);
    expect(sent.stderr).toContain(child.path);
    expect(api.requests.length).toBe(0);
    await expectNothingLost(user, { child, fixture, transcript });
  });

  test("by its parent is an error of the call, with which the parent goes on", async () => {
    using user = agentUser();
    using fixture = repository(user);
    await using api = startRoles({
      ROOT: [reply(agentCall("CHILD change", { isolation: "worktree", name: "rev" })), reply(text("first")), reply(sendMessage("rev", "and more")), reply(text("without it then"))],
      CHILD: [bash(COMMITS), reply(text("changed it"))],
    });
    expect((await user.run([...RUN, "-n", "top", "ROOT go"], { env: service(api) })).exitCode).toBe(0);
    const child = await taskNamed(user, "rev");
    const { detail } = await inspected(user, child.id);
    const [path, branch] = [String(detail["worktreePath"]), String(detail["worktreeBranch"])];
    rmSync(path, { recursive: true });
    const transcript = readFileSync(String(detail["transcriptPath"]), "utf8");
    expect(await user.run(["resume", "top", "ask it"], { env: service(api) })).toMatchObject({ exitCode: 0, stdout: "without it then\n" });
    const [result] = lastResults(api.of("ROOT")[3]);
    expect(result?.isError).toBe(true);
    expect(result?.content).toContain(path);
    expect(api.of("CHILD").length).toBe(2);
    await expectNothingLost(user, { child: { ...child, branch }, fixture, transcript });
  });
});

async function expectNothingLost(user: AgentUser, { child, fixture, transcript }: { readonly child: AgentRow & { readonly branch: string }; readonly fixture: GitFixture; readonly transcript: string }): Promise<void> {
  const record = await inspected(user, child.id);
  expect(record).toMatchObject({ status: "completed", attempt: 1, detail: { result: "changed it" } });
  expect(readFileSync(String(record.detail["transcriptPath"]), "utf8")).toBe(transcript);
  expect(fixture.git(user.project, "show", `${child.branch}:made.txt`)).toBe("made\n");
  expect((await taskRows(user)).filter(({ status }) => status === "running")).toEqual([]);
}
