import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../../src/core/errors.ts";
import type { Worktree } from "../../../src/core/worktree.ts";
import { applyWorktree, type ApplyMode } from "../../../src/engine/worktree/apply-worktree.ts";
import { createWorktree } from "../../../src/engine/worktree/create-worktree.ts";
import { diffWorktree } from "../../../src/engine/worktree/diff-worktree.ts";
import { discardWorktree } from "../../../src/engine/worktree/discard-worktree.ts";
import { finishWorktree } from "../../../src/engine/worktree/finish-worktree.ts";
import { reopenWorktree } from "../../../src/engine/worktree/reopen-worktree.ts";
import { readWorktreeRecord, type WorktreeRecord } from "../../../src/engine/worktree/worktree-record.ts";
import { generateTaskId } from "../../../src/platform/task-id.ts";
import { checkoutState, filesIn, gitFixture, type GitFixture } from "../../support/git-fixture.ts";

async function worked(fixture: GitFixture, work: (worktree: Worktree) => void, options: { readonly carriesChanges?: boolean } = {}): Promise<WorktreeRecord> {
  const { worktree } = await createWorktree({ id: generateTaskId("local_agent"), runId: "run", cwd: fixture.repository, ...options }, fixture.world);
  work(worktree);
  await finishWorktree(worktree, fixture.world);
  return recordOf(fixture, worktree);
}

function recordOf({ world }: GitFixture, { id }: Worktree): WorktreeRecord {
  const record = readWorktreeRecord(world.statePath, id);
  if (record === undefined) throw new Error("There is no record");
  return record;
}

/** A commit, then changes of every kind that were not committed. */
function allKinds(fixture: GitFixture): (worktree: Worktree) => void {
  return ({ path }) => {
    fixture.write(path, { "a.txt": "one\n2\nthree\n" });
    fixture.git(path, "commit", "-qam", "a commit");
    fixture.write(path, { "sub/b.txt": "changed\n", "new dir/ü x.txt": "new\n", "binary": "\0\u0001\0" });
    fixture.git(path, "add", "sub/b.txt");
    chmodSync(join(path, "run.sh"), 0o644);
    symlinkSync("a.txt", join(path, "link"));
    rmSync(join(path, ".gitignore"));
  };
}

const plainFiles = (directory: string) => Object.fromEntries(Object.entries(filesIn(directory)).filter(([path]) => !/^\.git(\/|$)/.test(path)));

async function failure(work: Promise<unknown>): Promise<AppError> {
  const error = await work.then(() => undefined, (thrown: unknown) => thrown);
  if (error instanceof AppError) return error;
  throw new Error(`It did not fail as expected: ${String(error)}`);
}

describe("applying", () => {
  test.each<[ApplyMode, string, number]>([
    ["changes", " D .gitignore\n M a.txt\n M run.sh\n M sub/b.txt\n?? binary\n?? link\n?? \"new dir/\"\n", 1],
    ["squash", "D  .gitignore\nM  a.txt\nA  binary\nA  link\nA  \"new dir/\\303\\274 x.txt\"\nM  run.sh\nM  sub/b.txt\n", 1],
    ["merge", "", 4],
    ["cherry", "", 3],
  ])("by %s brings everything, and the worktree goes", async (mode, status, commits) => {
    using fixture = gitFixture();
    const { git, repository, world } = fixture;
    const record = await worked(fixture, allKinds(fixture));
    const expected = plainFiles(record.worktree.path);
    const diff = Buffer.from(await diffWorktree(record, "patch", world)).toString();
    for (const part of ["-two", "+2", "new file mode 120000", "old mode 100755", "deleted file"]) expect(diff).toContain(part);
    const outcome = await applyWorktree(record, mode, world);
    expect(outcome).toMatchObject({ kept: false, changed: true, reason: "it was applied", ref: `refs/agent/${record.worktree.id}` });
    expect(plainFiles(repository)).toEqual(expected);
    expect(git(repository, "status", "--porcelain")).toBe(status);
    expect(git(repository, "rev-list", "--count", "HEAD").trim()).toBe(String(commits));
    expect(git(repository, "worktree", "list").trim().split("\n")).toHaveLength(1);
    expect(git(repository, "branch", "--list", "agent/*")).toBe("");
    expect(recordOf(fixture, record.worktree).outcome).toEqual(outcome);
    expect(await failure(reopenWorktree(recordOf(fixture, record.worktree), "run", world))).toMatchObject({ code: "worktree_gone", message: expect.stringContaining("it was applied") });
  });

  test.each<ApplyMode>(["changes", "squash", "merge", "cherry"])("by %s changes nothing where a file has changes of its own", async (mode) => {
    using fixture = gitFixture();
    const { repository, world } = fixture;
    const record = await worked(fixture, allKinds(fixture));
    fixture.write(repository, { "a.txt": "one\ntwo\nthree\nfour\n" });
    const [before, worktree] = [checkoutState(repository), filesIn(record.worktree.path)];
    const error = await failure(applyWorktree(record, mode, world));
    expect(error).toMatchObject({ reason: "conflict", code: "does_not_apply" });
    expect(error.message).toContain("a.txt");
    // Git refreshes what it knows of the files before it refuses.
    const { ".git/index": _one, ...after } = checkoutState(repository);
    const { ".git/index": _other, ...expected } = before;
    expect(after).toMatchObject(mode === "merge" || mode === "cherry" ? {} : expected);
    expect(plainFiles(repository)).toEqual(Object.fromEntries(Object.entries(before).filter(([path]) => !path.startsWith(".git/"))));
    expect(filesIn(record.worktree.path)).toEqual(worktree);
  });

  test.each<ApplyMode>(["changes", "squash", "merge", "cherry"])("by %s changes nothing where it does not fit what was committed since", async (mode) => {
    using fixture = gitFixture();
    const { repository, world, git } = fixture;
    const record = await worked(fixture, allKinds(fixture));
    fixture.write(repository, { "a.txt": "one\nzwei\nthree\n", "mine.txt": "mine\n" });
    git(repository, "commit", "-qam", "another line");
    const head = git(repository, "rev-parse", "HEAD");
    const before = plainFiles(repository);
    expect(await failure(applyWorktree(record, mode, world))).toMatchObject({ code: "does_not_apply" });
    expect(plainFiles(repository)).toEqual(before);
    expect(git(repository, "rev-parse", "HEAD")).toBe(head);
    expect(git(repository, "status", "--porcelain")).toBe("?? mine.txt\n");
    expect(["MERGE_HEAD", "CHERRY_PICK_HEAD", "sequencer"].filter((name) => existsSync(join(repository, ".git", name)))).toEqual([]);
    expect(existsSync(record.worktree.path)).toBe(true);
  });

  test("puts the work on top of the changes that were carried along, and none where those have changed since", async () => {
    using fixture = gitFixture();
    const { repository, world, git } = fixture;
    fixture.write(repository, { "a.txt": "one\ntwo\nthree\nmine\n", "draft.txt": "draft\n" });
    const work = ({ path }: Worktree) => fixture.write(path, { "a.txt": "1\ntwo\nthree\nmine\n", "draft.txt": "draft\nmore\n" });
    const [record, other] = [await worked(fixture, work, { carriesChanges: true }), await worked(fixture, work, { carriesChanges: true })];
    expect(await failure(applyWorktree(record, "merge", world))).toMatchObject({ code: "does_not_apply", message: expect.stringContaining("carried") });
    expect(await applyWorktree(record, "changes", world)).toMatchObject({ kept: false });
    expect(readFileSync(join(repository, "a.txt"), "utf8")).toBe("1\ntwo\nthree\nmine\n");
    expect(git(repository, "status", "--porcelain")).toBe(" M a.txt\n?? draft.txt\n");
    expect(await failure(applyWorktree(other, "changes", world))).toMatchObject({ code: "does_not_apply", message: expect.stringContaining("a.txt, draft.txt") });
    expect(readFileSync(join(repository, "draft.txt"), "utf8")).toBe("draft\nmore\n");
  });

  test("overwrites no file that git does not know of", async () => {
    using fixture = gitFixture();
    const record = await worked(fixture, ({ path }) => fixture.write(path, { "new.txt": "theirs\n" }));
    fixture.write(fixture.repository, { "new.txt": "mine\n" });
    expect(await failure(applyWorktree(record, "changes", fixture.world))).toMatchObject({ code: "does_not_apply" });
    expect(readFileSync(join(fixture.repository, "new.txt"), "utf8")).toBe("mine\n");
  });

  test("keeps a worktree that holds ignored files, or in which somebody is at work", async () => {
    using fixture = gitFixture();
    const record = await worked(fixture, ({ path }) => fixture.write(path, { "a.txt": "x\n", "x.log": "log\n" }));
    expect(await applyWorktree(record, "changes", fixture.world)).toMatchObject({ kept: true, reason: "it has ignored files" });
    expect(existsSync(join(record.worktree.path, "x.log"))).toBe(true);
    const child = Bun.spawn(["sleep", "60"], { cwd: record.worktree.path });
    try {
      expect(await failure(discardWorktree(recordOf(fixture, record.worktree), fixture.world))).toMatchObject({ code: "worktree_kept", message: expect.stringContaining(String(child.pid)) });
    } finally {
      child.kill("SIGKILL");
      await child.exited;
    }
    expect(await discardWorktree(recordOf(fixture, record.worktree), fixture.world)).toMatchObject({ kept: false });
  });

  test("runs no merge driver, hook or filter of the repository", async () => {
    using fixture = gitFixture();
    const { git, repository, canaryScript, world } = fixture;
    const record = await worked(fixture, allKinds(fixture));
    for (const hook of ["pre-merge-commit", "post-merge", "commit-msg", "post-commit", "prepare-commit-msg", "post-checkout", "post-index-change"]) symlinkSync(canaryScript(hook), join(repository, ".git", "hooks", hook));
    git(repository, "config", "filter.mine.smudge", canaryScript("smudge"));
    git(repository, "config", "core.fsmonitor", canaryScript("monitor"));
    writeFileSync(join(repository, ".git/info/attributes"), "* merge=mine filter=mine\n");
    rmSync(fixture.canary, { force: true });
    git(repository, "config", "merge.mine.driver", canaryScript("driver"));
    rmSync(fixture.canary, { force: true });
    expect(await failure(applyWorktree(record, "merge", world))).toMatchObject({ message: expect.stringContaining('merge driver "mine"') });
    git(repository, "config", "--unset", "merge.mine.driver");
    rmSync(fixture.canary, { force: true });
    expect(await applyWorktree(record, "merge", world)).toMatchObject({ kept: false });
    expect(existsSync(fixture.canary)).toBe(false);
  });

  test("has nothing to do where nothing was changed", async () => {
    using fixture = gitFixture();
    const record = await worked(fixture, () => undefined);
    expect(record.outcome).toMatchObject({ kept: false });
    expect(await failure(applyWorktree(record, "changes", fixture.world))).toMatchObject({ code: "nothing_to_apply" });
    expect(await failure(discardWorktree(record, fixture.world))).toMatchObject({ code: "worktree_gone" });
    expect(await diffWorktree(record, "patch", fixture.world)).toHaveLength(0);
  });
});

describe("discarding", () => {
  test("keeps everything but ignored files in a ref, and takes the rest away", async () => {
    using fixture = gitFixture();
    const { git, repository, world } = fixture;
    const before = plainFiles(repository);
    const record = await worked(fixture, (worktree) => {
      allKinds(fixture)(worktree);
      fixture.write(worktree.path, { "sub/b.txt": "changed again\n" });
    });
    const outcome = await discardWorktree(record, world);
    expect(outcome).toMatchObject({ kept: false, reason: "it was discarded", ref: `refs/agent/${record.worktree.id}` });
    expect(plainFiles(repository)).toEqual(before);
    expect(git(repository, "worktree", "list").trim().split("\n")).toHaveLength(1);
    expect(git(repository, "for-each-ref", "--format=%(refname)").trim().split("\n")).toEqual([`refs/agent/${record.worktree.id}`, "refs/heads/main"]);
    const ref = outcome.ref ?? "";
    expect(git(repository, "show", `${ref}:sub/b.txt`)).toBe("changed again\n");
    expect(git(repository, "show", `${ref}^2:sub/b.txt`)).toBe("changed\n");
    expect(git(repository, "show", `${ref}:new dir/ü x.txt`)).toBe("new\n");
    expect(git(repository, "log", "-1", "--format=%s", `${ref}^1`)).toBe("a commit\n");
    // Its diff is still to be had.
    expect(Buffer.from(await diffWorktree(recordOf(fixture, record.worktree), "names", world)).toString()).toContain("M\ta.txt");
  });

  test("keeps every commit that was checked out there, whatever became of branches", async () => {
    using fixture = gitFixture();
    const { git, repository, world } = fixture;
    const left: string[] = [];
    const record = await worked(fixture, ({ path, branch }) => {
      for (const content of ["first\n", "second\n"]) {
        fixture.write(path, { "a.txt": content });
        git(path, "commit", "-qam", content);
        left.push(git(path, "rev-parse", "HEAD").trim());
        git(path, "reset", "-q", "--hard", "HEAD~");
      }
      git(path, "checkout", "-q", "--detach");
      git(path, "branch", "-D", branch);
    });
    const { ref = "" } = await discardWorktree(record, world);
    for (const commit of left) expect(git(repository, "merge-base", "--is-ancestor", commit, ref)).toBe("");
    expect(existsSync(record.worktree.path)).toBe(false);
  });

  test("of a worktree whose directory is gone takes away what git knows of it", async () => {
    using fixture = gitFixture();
    const { git, repository, world } = fixture;
    const record = await worked(fixture, ({ path }) => {
      fixture.write(path, { "a.txt": "x\n" });
      git(path, "commit", "-qam", "work");
      rmSync(path, { recursive: true });
    });
    expect(Buffer.from(await diffWorktree(record, "stat", world)).toString()).toContain("a.txt");
    const { ref = "" } = await discardWorktree(record, world);
    expect(git(repository, "show", `${ref}:a.txt`)).toBe("x\n");
    expect(git(repository, "worktree", "list").trim().split("\n")).toHaveLength(1);
    expect(git(repository, "branch", "--list", "agent/*")).toBe("");
  });

  test("refuses what no ref can keep", async () => {
    using fixture = gitFixture();
    const record = await worked(fixture, ({ path }) => {
      fixture.git(path, "init", "-q", "inner");
      fixture.write(path, { "inner/x": "x\n" });
    });
    expect(await failure(discardWorktree(record, fixture.world))).toMatchObject({ code: "worktree_kept", message: expect.stringContaining('the repository "inner/" inside') });
    expect(existsSync(join(record.worktree.path, "inner", "x"))).toBe(true);
  });
});

describe("going on in a worktree", () => {
  test("finds it as it was left, and makes again what was removed unchanged", async () => {
    using fixture = gitFixture();
    const { world } = fixture;
    const kept = await worked(fixture, ({ path }) => fixture.write(path, { "a.txt": "x\n" }));
    expect(await reopenWorktree(kept, "next", world)).toEqual({ ...kept.worktree, runId: "next" });
    expect(recordOf(fixture, kept.worktree).outcome).toBeUndefined();
    const gone = await worked(fixture, () => undefined);
    fixture.git(fixture.repository, "commit", "-q", "--allow-empty", "-m", "meanwhile");
    const again = await reopenWorktree(gone, "next", world);
    expect(again).toEqual({ ...gone.worktree, runId: "next" });
    expect(fixture.git(again.path, "rev-parse", "HEAD").trim()).toBe(gone.worktree.base);
  });

  test("fails where it is gone, or its name is somebody else's", async () => {
    using fixture = gitFixture();
    const { world } = fixture;
    const lost = await worked(fixture, ({ path }) => [fixture.write(path, { "a.txt": "x\n" }), rmSync(path, { recursive: true })][1]);
    expect(await failure(reopenWorktree(lost, "next", world))).toMatchObject({ code: "worktree_gone" });
    const taken = await worked(fixture, () => undefined);
    fixture.git(fixture.repository, "branch", taken.worktree.branch);
    expect(await failure(reopenWorktree(taken, "next", world))).toMatchObject({ code: "worktree_gone", message: expect.stringContaining("something else has its name") });
  });
});
