import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { events, eventsOfType, runResult } from "../support/run-events.ts";
import { agentUser, type AgentUser } from "../support/spawn-agent.ts";
import { waitFor } from "../support/wait-for.ts";

/** A user whose project is a repository with one commit. */
async function repositoryUser(): Promise<AgentUser> {
  const user = agentUser();
  writeFileSync(join(user.home, ".gitconfig"), "[user]\n\tname = Somebody\n\temail = somebody@example.org\n[init]\n\tdefaultBranch = main\n");
  mkdirSync(join(user.project, "sub"));
  writeFileSync(join(user.project, "a.txt"), "one\n");
  writeFileSync(join(user.project, "sub", "b.txt"), "b\n");
  const made = await user.shell("git init -q && git add . && git commit -qm first");
  expect(made).toMatchObject({ exitCode: 0, stderr: "" });
  return user;
}

const git = async (user: AgentUser, command: string) => (await user.shell(`git ${command}`)).stdout;
const writing = (user: AgentUser, path = "new.txt") => user.script([{ reply: [{ tool: "Write", input: { file_path: path, content: "new\n" } }] }, { reply: [{ text: "done" }] }], { repeatLast: true });
const idle = (user: AgentUser) => user.script([{ reply: [{ text: "nothing to do" }] }], { repeatLast: true });
const ISOLATED = ["run", "--isolation", "worktree", "--permission-mode", "acceptEdits"];

describe("a run in isolation", () => {
  test("works in a worktree and nowhere else, and tells where its changes are", async () => {
    using user = await repositoryUser();
    const script = user.script([
      { reply: [{ tool: "Read", input: { file_path: "b.txt" } }, { tool: "Write", input: { file_path: "new.txt", content: "new\n" } }, { tool: "Write", input: { file_path: join(user.project, "a.txt"), content: "spoiled\n" } }] },
      { expect: { results: [{ tool: "Read", isError: false }, { tool: "Write", isError: false }, { tool: "Write", isError: true }] }, reply: [{ tool: "Read", input: { file_path: "new.txt" } }] },
      { reply: [{ text: "done" }] },
    ]);
    const ended = await user.run([...ISOLATED, "--output-format", "stream-json", "-m", script, "go"], { cwd: join(user.project, "sub") });
    const result = runResult(ended.stdout);
    const { task_id: id, worktree } = result;
    const path = join(user.stateDirectory, "worktrees", id);
    expect(worktree).toEqual({ path, branch: `agent/${id}`, base: (await git(user, "rev-parse HEAD")).trim(), changed: true, kept: true, reason: "it has untracked files", ref: null });
    expect(eventsOfType(events(ended.stdout), "run.started")[0]?.cwd).toBe(join(path, "sub"));
    expect(ended.stderr).toContain(`What it changed is in the worktree "${path}" on branch "agent/${id}"`);
    expect(ended.stderr).toContain(`agent diff ${id}; take it over: agent apply ${id}; throw it away: agent discard ${id}`);
    expect(readFileSync(join(path, "sub", "new.txt"), "utf8")).toBe("new\n");
    expect(await git(user, "status --porcelain")).toBe("");

    const [listed] = JSON.parse((await user.run(["ps", "-a", "--json"])).stdout);
    expect(listed).toMatchObject({ id, worktree: { path, branch: `agent/${id}`, kept: true } });
    expect((await user.run(["ps", "-a"])).stdout).toContain(`[agent/${id}]`);
    const [inspected] = JSON.parse((await user.run(["inspect", id])).stdout);
    expect(inspected.detail).toMatchObject({ worktreePath: path, worktreeBranch: `agent/${id}`, worktree: { changed: true, kept: true } });

    expect((await user.run(["diff", id])).stdout).toContain("+++ b/sub/new.txt\n@@ -0,0 +1 @@\n+new\n");
    expect((await user.run(["diff", "--name-only", id])).stdout).toBe("A\tsub/new.txt\n");
    expect(await user.run(["rm", id])).toMatchObject({ exitCode: 8, stderr: expect.stringContaining("is still there") });
    expect(JSON.parse((await user.run(["gc", "--older", "0", "--json"])).stdout).tasks).toEqual([]);
    const applied = await user.run(["apply", id]);
    expect(applied).toMatchObject({ exitCode: 0, stdout: "", stderr: `agent: Its changes are in "${user.project}"; it is also kept as refs/agent/${id}\n` });
    expect(await git(user, "status --porcelain")).toBe("?? sub/new.txt\n");
    expect(existsSync(path)).toBe(false);
    expect(await user.run(["apply", id])).toMatchObject({ exitCode: 8 });
    expect(await user.run(["rm", id])).toMatchObject({ exitCode: 0 });
    expect(readdirSync(join(user.stateDirectory, "worktrees"))).toEqual([]);
  });

  test("that changes nothing leaves nothing, and goes on in the same place", async () => {
    using user = await repositoryUser();
    const ended = await user.run([...ISOLATED, "--output-format", "json", "-m", idle(user), "go"]);
    const { task_id: id, worktree } = runResult(ended.stdout);
    expect(ended.stderr).toBe("");
    expect(worktree).toMatchObject({ changed: false, kept: false, reason: "nothing in it has changed", ref: null });
    expect(await git(user, "for-each-ref --format='%(refname)'")).toBe("refs/heads/main\n");
    expect((await user.run(["diff", id])).stdout).toBe("");
    const resumed = await user.run(["resume", "--permission-mode", "acceptEdits", "--output-format", "json", "-m", writing(user), id, "write it"]);
    expect(runResult(resumed.stdout)).toMatchObject({ task_id: id, worktree: { path: worktree?.path, branch: worktree?.branch } });
  });

  test("goes on in the background in its worktree, also when it is sent a message, and not where that was discarded", async () => {
    using user = await repositoryUser();
    const launched = await user.run([...ISOLATED, "-d", "-m", writing(user), "go"]);
    const id = launched.stdout.trim();
    expect(launched).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(`agent diff ${id}`) });
    expect((await user.run(["wait", id])).exitCode).toBe(0);
    expect(await user.run(["send", id, "more"])).toMatchObject({ exitCode: 0, stderr: "" });
    expect((await user.run(["wait", id])).exitCode).toBe(0);
    expect(JSON.parse((await user.run(["inspect", id])).stdout)[0]).toMatchObject({ attempt: 2, cwd: join(user.stateDirectory, "worktrees", id) });
    const discarded = await user.run(["discard", id]);
    expect(discarded).toMatchObject({ exitCode: 0, stdout: `refs/agent/${id}\n` });
    expect(await git(user, `show refs/agent/${id}:new.txt`)).toBe("new\n");
    expect(await git(user, "worktree list")).toContain(`${user.project} `);
    expect(await user.run(["resume", id])).toMatchObject({ exitCode: 8, stderr: expect.stringContaining("it was discarded") });
  });

  test("that is killed keeps its worktree, and its record leads there", async () => {
    using user = await repositoryUser();
    const script = user.script([{ reply: [{ tool: "Write", input: { file_path: "new.txt", content: "new\n" } }] }, { reply: [{ tool: "Bash", input: { command: "sleep 60" } }] }]);
    const id = (await user.run([...ISOLATED, "-d", "--allow", "Bash(sleep:*)", "-m", script, "go"])).stdout.trim();
    const path = join(user.stateDirectory, "worktrees", id);
    await waitFor(() => existsSync(join(path, "new.txt")));
    expect(await user.run(["discard", id])).toMatchObject({ exitCode: 8, stderr: expect.stringContaining("is in use") });
    process.kill(JSON.parse((await user.run(["inspect", id])).stdout)[0].run.pid, "SIGKILL");
    expect((await user.run(["wait", id])).exitCode).toBe(1);
    expect(runResult((await user.run(["events", id])).stdout)).toMatchObject({ recovered: true, worktree: { path, changed: true, kept: true } });
    expect((await user.run(["diff", "--name-only", id])).stdout).toBe("A\tnew.txt\n");
    expect(await user.run(["discard", id])).toMatchObject({ exitCode: 0 });
    expect(existsSync(path)).toBe(false);
  });

  test("takes changes along where it is asked to", async () => {
    using user = await repositoryUser();
    writeFileSync(join(user.project, "draft.txt"), "draft\n");
    const script = user.script([{ reply: [{ tool: "Read", input: { file_path: "draft.txt" } }] }, { expect: { results: [{ tool: "Read", contains: "draft", isError: false }] }, reply: [{ text: "seen" }] }]);
    expect(await user.run([...ISOLATED, "--carry-changes", "-m", script, "go"])).toMatchObject({ exitCode: 0, stdout: "seen\n", stderr: "" });
    expect(await git(user, "status --porcelain")).toBe("?? draft.txt\n");
  });

  test("keeps the worktree of an agent whose command in the background works there, to the end of the run", async () => {
    using user = await repositoryUser();
    const script = user.script([{ reply: [{ tool: "Bash", input: { command: "sleep 0.3", run_in_background: true } }] }, { reply: [{ text: "it runs" }] }], { repeatLast: true });
    const ended = await user.run([...ISOLATED, "--allow", "Bash(sleep:*)", "--output-format", "json", "-m", script, "go"]);
    expect(runResult(ended.stdout)).toMatchObject({ status: "completed", worktree: { kept: false, changed: false } });
  });
});

test("what is forgotten although its worktree is there is not removed by any collection, and told of", async () => {
  using user = await repositoryUser();
  const { task_id: id } = runResult((await user.run([...ISOLATED, "--output-format", "json", "-m", writing(user), "go"])).stdout);
  expect(await user.run(["rm", "--force", id])).toMatchObject({ exitCode: 0 });
  const folder = join(user.stateDirectory, "worktrees");
  const long = new Date(Date.now() - 7_200_000);
  writeFileSync(join(folder, ".00000000-0000-4000-8000-000000000000.index"), "");
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), long, long);
  const collected = JSON.parse((await user.run(["gc", "--json"])).stdout);
  expect(collected).toMatchObject({ files: ["worktrees/.00000000-0000-4000-8000-000000000000.index"], kept: [expect.stringContaining(`${join(folder, id)}" on branch "agent/${id}": it has untracked files`)] });
  expect(readFileSync(join(folder, id, "new.txt"), "utf8")).toBe("new\n");
  await user.shell(`rm ${join(folder, id, "new.txt")}`);
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), long, long);
  expect(JSON.parse((await user.run(["gc", "--json"])).stdout)).toMatchObject({ files: [`worktrees/${id}.json`], kept: [] });
  expect(readdirSync(folder)).toEqual([]);
  expect(await git(user, "for-each-ref --format='%(refname)'")).toBe("refs/heads/main\n");
});

describe("a run that cannot be isolated fails", () => {
  test.each([
    ["outside of a repository", ["run", "--isolation", "worktree"], 1, "it is not in a git repository"],
    ["with a base but no isolation", ["run", "--base", "HEAD"], 2, "--isolation worktree"],
    ["with a command", ["run", "--isolation", "worktree", "--exec"], 2, "leave out --exec"],
    ["without a state that stays", ["run", "--isolation", "worktree", "--ephemeral"], 2, "leave out --ephemeral"],
  ])("%s", async (_name, args, exitCode, message) => {
    using user = agentUser();
    const words = args.includes("--exec") ? ["--", "true"] : ["-m", writing(user), "go"];
    const ended = await user.run([...args, ...words]);
    expect(ended).toMatchObject({ exitCode, stdout: "", stderr: expect.stringContaining(message) });
    expect(readdirSync(user.project)).toEqual([]);
    expect(await user.run(["run", "-d", ...args.slice(1), ...words])).toMatchObject({ exitCode, stdout: "" });
  });

  test("with a base that is none, and leaves nothing", async () => {
    using user = await repositoryUser();
    expect(await user.run([...ISOLATED, "--base", "nonsense", "-m", writing(user), "go"])).toMatchObject({ exitCode: 1, stdout: "", stderr: expect.stringContaining('there is no commit "nonsense"') });
    expect(await git(user, "for-each-ref --format='%(refname)'")).toBe("refs/heads/main\n");
    expect(readdirSync(join(user.stateDirectory, "worktrees"))).toEqual([]);
    expect((await user.run(["ps", "-a", "-q"])).stdout).toBe("");
    expect(await user.run(["diff", "a12345678"])).toMatchObject({ exitCode: 7 });
  });
});
