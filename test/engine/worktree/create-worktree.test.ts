import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../../src/core/errors.ts";
import type { TaskId } from "../../../src/core/task.ts";
import { createWorktree, type CreateWorktreeOptions } from "../../../src/engine/worktree/create-worktree.ts";
import { finishWorktree } from "../../../src/engine/worktree/finish-worktree.ts";
import type { WorktreeWorld } from "../../../src/engine/worktree/worktree.ts";
import { readWorktreeRecord } from "../../../src/engine/worktree/worktree-record.ts";
import { generateTaskId } from "../../../src/platform/task-id.ts";
import { checkoutState, filesIn, gitFixture, type GitFixture } from "../../support/git-fixture.ts";
import { smallDisk } from "../../support/small-disk.ts";
import { openStateDirectory } from "../../../src/platform/state-directory.ts";

const newId = () => generateTaskId("local_agent");

async function create(fixture: GitFixture, options: Partial<CreateWorktreeOptions> = {}, world: WorktreeWorld = fixture.world) {
  return await createWorktree({ id: newId(), runId: "run", cwd: fixture.repository, ...options }, world);
}

async function failure(work: Promise<unknown>): Promise<AppError> {
  const error = await work.then(() => undefined, (thrown: unknown) => thrown);
  if (error instanceof AppError) return error;
  throw new Error(`It did not fail as expected: ${String(error)}`);
}

/** All of it is gone: nothing in the folder of worktrees, no branch, no ref, no entry of git. */
function expectNothingLeft({ home, repository, git }: GitFixture, before: Readonly<Record<string, string>>): void {
  const folder = join(home, "state", "worktrees");
  expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([]);
  expect(checkoutState(repository)).toEqual(before);
  expect(git(repository, "worktree", "list").trim().split("\n")).toHaveLength(1);
}

describe("a worktree", () => {
  test("has the files of the current commit, on a branch of its own, outside of the repository", async () => {
    using fixture = gitFixture();
    fixture.write(fixture.repository, { "a.txt": "not committed\n", "new.txt": "new\n", "x.log": "ignored\n" });
    const id = newId();
    const before = checkoutState(fixture.repository);
    const { worktree, warnings } = await create(fixture, { id });
    expect(warnings).toEqual([]);
    expect(worktree).toMatchObject({ id, path: join(fixture.home, "state", "worktrees", id), branch: `agent/${id}`, cwdInside: worktree.path, repositoryRoot: fixture.repository, hasCarriedChanges: false });
    expect(worktree.base).toBe(fixture.git(fixture.repository, "rev-parse", "HEAD").trim());
    expect(Object.keys(filesIn(worktree.path)).toSorted()).toEqual([".git", ".gitignore", "a.txt", "run.sh", "sub/b.txt"]);
    expect(readFileSync(join(worktree.path, "a.txt"), "utf8")).toBe("one\ntwo\nthree\n");
    expect(fixture.git(worktree.path, "status", "--porcelain", "--branch")).toBe(`## agent/${id}\n`);
    expect(readWorktreeRecord(fixture.world.statePath, id)).toEqual({ v: 1, worktree } as never);
    expect(checkoutState(fixture.repository)).toMatchObject(before);
  });

  test("of a directory below has that directory, also where it is not tracked", async () => {
    using fixture = gitFixture();
    mkdirSync(join(fixture.repository, "empty"));
    for (const name of ["sub", "empty"]) {
      const { worktree } = await create(fixture, { cwd: join(fixture.repository, name) });
      expect(worktree.cwdInside).toBe(join(worktree.path, name));
      expect(existsSync(worktree.cwdInside)).toBe(true);
      expect(await finishWorktree(worktree, fixture.world)).toMatchObject({ kept: false });
    }
  });

  test("begins with the base that was asked for, and without one with the current commit, wherever the remote's branches are", async () => {
    using fixture = gitFixture();
    const { git, repository, home } = fixture;
    git(home, "clone", "-q", repository, "clone");
    const clone = join(home, "clone");
    const first = git(clone, "rev-parse", "HEAD").trim();
    fixture.write(clone, { "a.txt": "ahead\n" });
    git(clone, "commit", "-qam", "ahead");
    const ahead = git(clone, "rev-parse", "HEAD").trim();
    expect((await create(fixture, { cwd: clone })).worktree.base).toBe(ahead);
    expect((await create(fixture, { cwd: clone, baseRef: "origin/main" })).worktree).toMatchObject({ base: first, baseRef: "origin/main" });
    git(clone, "checkout", "-q", "--detach", "HEAD~");
    expect((await create(fixture, { cwd: clone })).worktree.base).toBe(first);
    // No branch of it follows another.
    expect(git(clone, "config", "--list", "--local")).not.toContain("branch.agent");
  });

  test("takes changes along where it is asked to: staged ones, others and new files, but no ignored ones", async () => {
    using fixture = gitFixture();
    const { repository, git } = fixture;
    fixture.write(repository, { "a.txt": "staged\n", "sub/b.txt": "changed\n", "new dir/ü.txt": "new\n", "x.log": "ignored\n" });
    git(repository, "add", "a.txt");
    fixture.write(repository, { "a.txt": "staged and changed\n" });
    chmodSync(join(repository, "run.sh"), 0o644);
    symlinkSync("a.txt", join(repository, "link"));
    const before = checkoutState(repository);
    const { worktree } = await create(fixture, { carriesChanges: true });
    expect(worktree.hasCarriedChanges).toBe(true);
    const { ".git": _pointer, ...files } = filesIn(worktree.path);
    const { "x.log": _ignored, ...expected } = Object.fromEntries(Object.entries(filesIn(repository)).filter(([path]) => !path.startsWith(".git/")));
    expect(files).toEqual(expected);
    expect(checkoutState(repository)).toMatchObject(before);
    expect(await finishWorktree(worktree, fixture.world)).toMatchObject({ kept: false, changed: false });
    expect(checkoutState(repository)).toEqual(before);
  });

  test("of a repository in a place with an odd name is made all the same", async () => {
    using fixture = gitFixture({ name: "x y'z$(touch CANARY)\"\\" });
    const before = checkoutState(fixture.repository);
    const { worktree } = await create(fixture);
    expect(await finishWorktree(worktree, fixture.world)).toMatchObject({ kept: false });
    expectRecordOnly(fixture, before);
  });

  test("of a worktree, of a shallow clone and of a submodule belongs to that", async () => {
    using fixture = gitFixture();
    const { git, repository, home } = fixture;
    const first = (await create(fixture)).worktree;
    fixture.write(first.path, { "a.txt": "further\n" });
    git(first.path, "commit", "-qam", "further");
    const second = (await create(fixture, { cwd: first.path })).worktree;
    expect(second).toMatchObject({ repositoryRoot: first.path, base: git(first.path, "rev-parse", "HEAD").trim() });
    git(repository, "commit", "-q", "--allow-empty", "-m", "second");
    git(home, "clone", "-q", "--depth", "1", `file://${repository}`, "shallow");
    const shallow = (await create(fixture, { cwd: join(home, "shallow") })).worktree;
    expect(await finishWorktree(shallow, fixture.world)).toMatchObject({ kept: false });
    git(join(home, "shallow"), "submodule", "--quiet", "add", repository, "library");
    git(join(home, "shallow"), "commit", "-qm", "a submodule");
    const inner = (await create(fixture, { cwd: join(home, "shallow", "library") })).worktree;
    expect(inner.repositoryRoot).toBe(join(home, "shallow", "library"));
    expect(existsSync(join(inner.path, "a.txt"))).toBe(true);
    expect(await finishWorktree(inner, fixture.world)).toMatchObject({ kept: false, changed: false });
    const { worktree, warnings } = await create(fixture, { cwd: join(home, "shallow") });
    expect(warnings).toEqual(["Submodules are empty in the worktree: library"]);
    expect(await finishWorktree(worktree, fixture.world)).toMatchObject({ kept: false, changed: false });
  });

  test("takes no name that is taken, and no branch of which part is one", async () => {
    using fixture = gitFixture();
    const { git, repository, home } = fixture;
    const id = newId();
    git(repository, "branch", `agent/${id}`);
    mkdirSync(join(home, "state", "worktrees"), { mode: 0o700 });
    mkdirSync(join(home, "state", "worktrees", `${id}-2`));
    git(repository, "update-ref", `refs/agent/${id}-3`, "HEAD");
    expect((await create(fixture, { id })).worktree).toMatchObject({ branch: `agent/${id}-4`, path: join(home, "state", "worktrees", `${id}-4`) });
    using other = gitFixture();
    other.git(other.repository, "branch", "agent");
    expect((await create(other, { id })).worktree.branch).toBe(`agent-${id}`);
  });

  test("is made and ended while others are, and the repository is what it was", async () => {
    using fixture = gitFixture();
    const { repository, git } = fixture;
    const before = checkoutState(repository);
    const rounds = Array.from({ length: 2 }, () => async () => {
      const worktrees = await Promise.all(Array.from({ length: 6 }, async () => (await create(fixture)).worktree));
      expect(new Set(worktrees.map(({ path }) => path)).size).toBe(6);
      return await Promise.all(worktrees.map(async (worktree, index) => {
        if (index === 0) fixture.write(worktree.path, { "new.txt": "x\n" });
        return await finishWorktree(worktree, fixture.world);
      }));
    });
    const outcomes = [...(await rounds[0]?.() ?? []), ...(await rounds[1]?.() ?? [])];
    expect(outcomes.map(({ kept }) => kept).filter(Boolean)).toHaveLength(2);
    expect(git(repository, "worktree", "list").trim().split("\n")).toHaveLength(3);
    expect(checkoutState(repository)).toMatchObject(before);
    expect(git(repository, "fsck", "--no-dangling")).toBe("");
  }, 20_000);
});

function expectRecordOnly({ repository, canary }: GitFixture, before: Readonly<Record<string, string>>): void {
  expect(checkoutState(repository)).toEqual(before);
  expect(existsSync(canary)).toBe(false);
}

describe("nothing of the repository is run:", () => {
  const CANARIES: Readonly<Record<string, (fixture: GitFixture) => void>> = {
    "a hook"({ repository, canaryScript }) {
      for (const hook of ["post-checkout", "reference-transaction", "post-index-change", "pre-commit"]) symlinkSync(canaryScript(hook), join(repository, ".git", "hooks", hook));
    },
    "a hook somewhere else"({ git, repository, canaryScript, home }) {
      mkdirSync(join(home, "hooks"));
      symlinkSync(canaryScript("hook"), join(home, "hooks", "post-checkout"));
      git(repository, "config", "core.hooksPath", join(home, "hooks"));
    },
    "a hook by configuration"({ git, repository, canaryScript }) {
      git(repository, "config", "hook.mine.command", canaryScript("hook"));
      git(repository, "config", "hook.mine.event", "post-checkout");
    },
    "a monitor of the file system": ({ git, repository, canaryScript }) => void git(repository, "config", "core.fsmonitor", canaryScript("monitor")),
    "a program for differences"({ git, repository, canaryScript, write }) {
      git(repository, "config", "diff.external", canaryScript("external"));
      git(repository, "config", "diff.mine.command", canaryScript("command"));
      git(repository, "config", "diff.mine.textconv", canaryScript("textconv"));
      write(repository, { ".git/info/attributes": "* diff=mine\n" });
    },
    "a pager, an editor, a program for signing, and for passwords"({ git, repository, canaryScript }) {
      for (const name of ["core.pager", "core.editor", "gpg.program", "core.sshCommand", "core.askPass", "credential.helper"]) git(repository, "config", name, canaryScript("any"));
      git(repository, "config", "commit.gpgSign", "true");
    },
    "a filter that no file goes through": ({ git, repository, canaryScript }) => void git(repository, "config", "filter.mine.smudge", canaryScript("filter")),
  };

  test.each(Object.keys(CANARIES))("%s", async (name) => {
    using fixture = gitFixture();
    CANARIES[name]?.(fixture);
    fixture.write(fixture.repository, { "a.txt": "carried\n" });
    const before = checkoutState(fixture.repository);
    const { worktree } = await create(fixture, { carriesChanges: true });
    fixture.write(worktree.path, { "sub/b.txt": "changed\n" });
    expect(await finishWorktree(worktree, fixture.world)).toMatchObject({ kept: true, changed: true });
    expect(existsSync(fixture.canary)).toBe(false);
    expect(checkoutState(fixture.repository)).toMatchObject(before);
  });

  test.each(["clean", "smudge", "process"])("a filter by its %s program: there is no worktree then", async (kind) => {
    using fixture = gitFixture();
    const { git, repository, canaryScript, write, world } = fixture;
    write(repository, { ".gitattributes": "*.txt filter=mine\n" });
    git(repository, "add", ".gitattributes");
    git(repository, "commit", "-qm", "attributes");
    git(repository, "config", `filter.mine.${kind}`, canaryScript("filter"));
    git(repository, "config", "filter.mine.required", "true");
    const before = checkoutState(repository);
    const error = await failure(create(fixture));
    expect(error).toMatchObject({ code: "content_filter", message: expect.stringContaining('"a.txt" goes through the filter "mine"') });
    expect(existsSync(fixture.canary)).toBe(false);
    expectNothingLeft(fixture, before);
    // The user's own are the user's.
    git(repository, "config", "--unset", `filter.mine.${kind}`);
    git(repository, "config", "--unset", "filter.mine.required");
    git(repository, "config", "--global", "filter.mine.clean", "cat");
    git(repository, "config", "--global", "filter.mine.smudge", "tr a-z A-Z");
    const { worktree } = await create(fixture);
    expect(readFileSync(join(worktree.path, "a.txt"), "utf8")).toBe("ONE\nTWO\nTHREE\n");
    expect(world.env["HOME"]).toBe(fixture.home);
  });

  test("a remote that would have to give what is missing: there is no worktree then", async () => {
    using fixture = gitFixture();
    const { git, repository, home } = fixture;
    git(repository, "config", "uploadpack.allowFilter", "true");
    git(home, "clone", "-q", "--no-checkout", "--filter=blob:none", `file://${repository}`, "partial");
    const partial = join(home, "partial");
    git(partial, "config", "remote.origin.url", `ext::${fixture.canaryScript("remote")}`);
    git(partial, "config", "protocol.ext.allow", "always");
    git(partial, "config", "core.sshCommand", fixture.canaryScript("ssh"));
    expect(await failure(create(fixture, { cwd: partial }))).toMatchObject({ code: "git_failed" });
    expect(existsSync(fixture.canary)).toBe(false);
    expect(git(partial, "worktree", "list").trim().split("\n")).toHaveLength(1);
  });

  test("a filter whose name cannot be switched off: there is no worktree then", async () => {
    using fixture = gitFixture();
    fixture.git(fixture.repository, "config", "filter.a=b.smudge", fixture.canaryScript("filter"));
    expect(await failure(create(fixture))).toMatchObject({ code: "unusable_configuration" });
  });
});

describe("there is no worktree, and nothing is left,", () => {
  interface Refusal {
    readonly name: string;
    readonly code: string;
    readonly message: RegExp;
    readonly options?: (fixture: GitFixture) => Partial<CreateWorktreeOptions>;
    readonly prepare?: (fixture: GitFixture) => void;
    readonly world?: (world: WorktreeWorld, fixture: GitFixture) => WorktreeWorld;
  }
  const REFUSALS: readonly Refusal[] = [
    { name: "outside of a repository", code: "no_repository", message: /not in a git repository/, options: ({ home }) => ({ cwd: home }) },
    { name: "without a commit", code: "no_commit", message: /no commit yet/, prepare: ({ git, home }) => void git(home, "init", "-q", "new"), options: ({ home }) => ({ cwd: join(home, "new") }) },
    { name: "in a bare repository", code: "no_checkout", message: /bare/, prepare: ({ git, home }) => void git(home, "init", "-q", "--bare", "bare"), options: ({ home }) => ({ cwd: join(home, "bare") }) },
    { name: "inside the folder of a repository", code: "no_checkout", message: /own folder/, options: ({ repository }) => ({ cwd: join(repository, ".git") }) },
    { name: "of a base that is none", code: "no_base", message: /no commit "nonsense"/, options: () => ({ baseRef: "nonsense" }) },
    { name: "of a base that is a flag", code: "no_base", message: /no commit "--all"/, options: () => ({ baseRef: "--all" }) },
    { name: "with changes for another commit", code: "contradiction", message: /carry/, prepare: ({ git, repository }) => void git(repository, "commit", "-q", "--allow-empty", "-m", "x"), options: () => ({ baseRef: "HEAD~", carriesChanges: true }) },
    { name: "without git", code: "git_missing", message: /no git/, world: (world) => ({ ...world, locate: () => { throw new AppError("failed", "There is no git on this machine", { code: "git_missing" }); } }) },
    { name: "of a repository that belongs to another place", code: "no_checkout", message: /says that its files are in/, prepare: ({ git, repository, home }) => void git(repository, "config", "core.worktree", home) },
    {
      name: "in a state folder inside the repository",
      code: "state_in_repository",
      message: /AGENT_STATE_DIR/,
      prepare: ({ repository }) => {
        writeFileSync(join(repository, ".git/info/exclude"), ".state/\n");
        openStateDirectory({ state: join(repository, ".state") }).close();
        mkdirSync(join(repository, ".state", "worktrees"), { mode: 0o700 });
      },
      world: (world, { repository }) => ({ ...world, statePath: join(repository, ".state") }),
    },
    { name: "after git was stopped", code: "git_aborted", message: /stopped/, world: (world) => ({ ...world, signal: AbortSignal.abort() }) },
  ];

  test.each(REFUSALS)("$name", async ({ code, message, options, prepare, world }) => {
    using fixture = gitFixture();
    prepare?.(fixture);
    const before = checkoutState(fixture.repository);
    const error = await failure(create(fixture, options?.(fixture), world?.(fixture.world, fixture)));
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
    expectNothingLeft({ ...fixture, git: () => "one" }, before);
  });

  test.each([".git", "../x", "-b", "a/../../b", "", "a".repeat(300), "a1234567\0", "a1234567.", "A12345678"])("with the name %j", async (id) => {
    using fixture = gitFixture();
    let isAsked = false;
    const world: WorktreeWorld = { ...fixture.world, locate: () => { isAsked = true; return "/usr/bin/git"; } };
    expect(await failure(create(fixture, { id: id as TaskId }, world))).toMatchObject({ code: "bad_name" });
    expect(isAsked).toBe(false);
  });

  test("on a disk that is full", async () => {
    using fixture = gitFixture();
    using disk = smallDisk({ size: "2m" });
    fixture.write(fixture.repository, { "large": "x".repeat(4_000_000) });
    fixture.git(fixture.repository, "add", "large");
    fixture.git(fixture.repository, "commit", "-qm", "large");
    const before = checkoutState(fixture.repository);
    openStateDirectory({ state: join(disk.path, "state") }).close();
    const error = await failure(create(fixture, {}, { ...fixture.world, statePath: join(realpathSync(disk.path), "state") }));
    expect(error.message).toMatch(/unable to write file|No space left on device/);
    expect(readdirSync(join(disk.path, "state", "worktrees"))).toEqual([]);
    expectNothingLeft(fixture, before);
  });
});
