import { expect, test } from "bun:test";
import { cpSync, existsSync } from "node:fs";
import { agentCall, bash, inspected, sendMessage, service, startRoles, taskRows } from "../support/agent-roles.ts";
import { reply, text } from "../support/api-reply.ts";
import { checkoutState, gitFixture } from "../support/git-fixture.ts";
import { lastResults } from "../support/request-messages.ts";
import { agentUser } from "../support/spawn-agent.ts";

const RUN = ["run", "--output-format", "json", "--permission-mode", "bypassPermissions"];

function repository(user: ReturnType<typeof agentUser>) {
  const fixture = gitFixture();
  cpSync(fixture.repository, user.project, { recursive: true });
  cpSync(`${fixture.home}/.gitconfig`, `${user.home}/.gitconfig`);
  return fixture;
}

test("an isolated agent changes nothing of the original checkout; its work is kept and shown, and it goes on in it", async () => {
  using user = agentUser();
  using fixture = repository(user);
  await using api = startRoles({
    ROOT: [reply(agentCall("CHILD change", { isolation: "worktree", name: "rev" })), reply(sendMessage("rev", "more")), reply(text("waiting")), reply(text("done"))],
    CHILD: [bash("echo changed > a.txt"), reply(text("changed it")), bash("cat a.txt; echo more >> a.txt", "toolu_more"), reply(text("more of it"))],
  });
  const before = checkoutState(user.project);
  expect((await user.run([...RUN, "ROOT go"], { env: service(api) })).exitCode).toBe(0);
  expect(withoutGit(checkoutState(user.project))).toEqual(withoutGit(before));
  expect(fixture.git(user.project, "status", "--porcelain")).toBe("");
  const [child] = (await taskRows(user)).filter(({ name }) => name === "rev");
  expect(lastResults(api.of("ROOT")[1])[0]?.content).toMatch(/^changed it\n\[Its changes are in the worktree .+, branch .+\]$/);
  expect(lastResults(api.of("CHILD")[3])[0]?.content).toStartWith("changed");
  const diff = await user.run(["diff", child?.id ?? ""]);
  expect([diff.exitCode, diff.stdout.includes("+changed\n+more")]).toEqual([0, true]);
});

test("an isolated agent that changes nothing leaves nothing, and still goes on when it gets a message", async () => {
  using user = agentUser();
  using fixture = repository(user);
  await using api = startRoles({
    ROOT: [reply(agentCall("CHILD look", { isolation: "worktree", name: "rev" })), reply(sendMessage("rev", "again")), reply(text("waiting")), reply(text("done"))],
    CHILD: [bash("cat a.txt"), reply(text("looked")), bash("cat a.txt", "toolu_again"), reply(text("looked again"))],
  });
  expect((await user.run([...RUN, "ROOT go"], { env: service(api) })).exitCode).toBe(0);
  expect(lastResults(api.of("ROOT")[1])[0]?.content).toBe("looked");
  expect(lastResults(api.of("CHILD")[3])[0]?.content).toContain("one\ntwo");
  expect(fixture.git(user.project, "worktree", "list").trim().split("\n").length).toBe(1);
  const [child] = (await taskRows(user)).filter(({ name }) => name === "rev");
  const { detail } = await inspected(user, child?.id ?? "");
  expect(existsSync(String(detail["worktreePath"]))).toBe(false);
});

test("an agent that cannot be isolated is not started", async () => {
  using user = agentUser();
  await using api = startRoles({ ROOT: [reply(agentCall("CHILD change", { isolation: "worktree" })), reply(text("done"))] });
  expect((await user.run([...RUN, "ROOT go"], { env: service(api) })).exitCode).toBe(0);
  expect(lastResults(api.of("ROOT")[1])[0]?.isError).toBe(true);
  expect([api.of("CHILD").length, (await taskRows(user)).length]).toEqual([0, 1]);
});

test("an isolated agent whose start fails leaves no worktree", async () => {
  using user = agentUser();
  using fixture = repository(user);
  await user.shell("mkdir -p ../outer");
  await using api = startRoles({ ROOT: [reply(agentCall("CHILD change", { isolation: "worktree" })), reply(text("done"))] });
  // The directory that is added holds the original checkout: isolation would mean nothing.
  expect((await user.run([...RUN, "--add-dir", "..", "ROOT go"], { env: service(api) })).exitCode).toBe(0);
  expect(lastResults(api.of("ROOT")[1])[0]).toMatchObject({ isError: true, content: expect.stringContaining("original checkout") });
  expect([(await taskRows(user)).length, fixture.git(user.project, "worktree", "list").trim().split("\n").length]).toEqual([1, 1]);
});

/** What git itself writes down when it makes a branch. */
function withoutGit(state: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(state).filter(([path]) => !path.startsWith(".git/")));
}
