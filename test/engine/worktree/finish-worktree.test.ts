import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Worktree } from "../../../src/core/worktree.ts";
import { createWorktree } from "../../../src/engine/worktree/create-worktree.ts";
import { finishWorktree } from "../../../src/engine/worktree/finish-worktree.ts";
import { generateTaskId } from "../../../src/platform/task-id.ts";
import { checkoutState, filesIn, gitFixture, type GitFixture } from "../../support/git-fixture.ts";

interface Situation {
  readonly name: string;
  /** What the repository is like before. */
  readonly prepare?: (fixture: GitFixture) => void;
  /** What the task does. */
  readonly act?: (fixture: GitFixture, worktree: Worktree) => void | Disposable;
  readonly users?: readonly string[];
  readonly changed: boolean;
  /** Why it is kept; undefined where it goes. */
  readonly reason?: RegExp;
}

const commit = ({ git }: GitFixture, { path }: Worktree, message = "work") => void git(path, "commit", "-qam", message);
const write = (fixture: GitFixture, { path }: Worktree, files: Readonly<Record<string, string>>) => fixture.write(path, files);

/** A second line of work that does not fit to the first. */
function withConflict(fixture: GitFixture, worktree: Worktree): void {
  const { git } = fixture;
  git(worktree.path, "checkout", "-qb", "other");
  write(fixture, worktree, { "a.txt": "other\n" });
  commit(fixture, worktree);
  git(worktree.path, "checkout", "-q", worktree.branch);
  write(fixture, worktree, { "a.txt": "mine\n" });
  commit(fixture, worktree);
}

/** Only the time of the change to its record tells, and git can be told not to look at that. */
function sameSizeAndTime({ git }: GitFixture, { path }: Worktree): void {
  const file = join(path, "sub/b.txt");
  const { atime, mtime } = statSync(file);
  git(path, "config", "core.trustctime", "false");
  writeFileSync(file, "c\n");
  utimesSync(file, atime, mtime);
}

function failing(run: () => unknown): void {
  expect(run).toThrow();
}

const SITUATIONS: readonly Situation[] = [
  { name: "nothing was done", changed: false },
  { name: "files were written and put back", changed: false, act: (fixture, worktree) => [write(fixture, worktree, { "a.txt": "x\n" }), write(fixture, worktree, { "a.txt": "one\ntwo\nthree\n" })][0] },
  { name: "a commit was made", changed: true, reason: /1 commit/, act: (fixture, worktree) => [write(fixture, worktree, { "a.txt": "x\n" }), commit(fixture, worktree)][0] },
  { name: "a change is staged", changed: true, reason: /staged changes/, act: (fixture, worktree) => void [write(fixture, worktree, { "a.txt": "x\n" }), fixture.git(worktree.path, "add", "a.txt")] },
  { name: "a change is not staged", changed: true, reason: /not staged/, act: (fixture, worktree) => write(fixture, worktree, { "sub/b.txt": "x\n" }) },
  { name: "a change has the size and the time of what was there", changed: true, reason: /not staged/, act: sameSizeAndTime },
  { name: "a file is new", changed: true, reason: /untracked/, act: (fixture, worktree) => write(fixture, worktree, { "new/file.txt": "x\n" }) },
  { name: "only an ignored file is new", changed: false, reason: /ignored files/, act: (fixture, worktree) => write(fixture, worktree, { "x.log": "x\n" }) },
  { name: "a file was removed", changed: true, reason: /not staged/, act: (_, { path }) => rmSync(join(path, "a.txt")) },
  { name: "a file became a link", changed: true, reason: /not staged/, act: (_, { path }) => void [rmSync(join(path, "a.txt")), symlinkSync("/etc/passwd", join(path, "a.txt"))] },
  { name: "only a mode was changed", changed: true, reason: /not staged/, act: (_, { path }) => chmodSync(join(path, "a.txt"), 0o755) },
  { name: "a change was hidden from git", changed: true, reason: /not to look at/, act: (fixture, worktree) => void [fixture.git(worktree.path, "update-index", "--assume-unchanged", "a.txt"), write(fixture, worktree, { "a.txt": "x\n" })] },
  { name: "a file was left out of git's sight", changed: true, reason: /told to leave out/, act: (fixture, worktree) => void [fixture.git(worktree.path, "update-index", "--skip-worktree", "a.txt"), write(fixture, worktree, { "a.txt": "x\n" })] },
  { name: "a repository was made in it", changed: true, reason: /untracked/, act: ({ git }, { path }) => void [mkdirSync(join(path, "inner")), git(join(path, "inner"), "init", "-q"), writeFileSync(join(path, "inner", "x"), "x")] },
  { name: "its HEAD is detached with a commit", changed: true, reason: /no branch is checked out/, act: (fixture, worktree) => void [fixture.git(worktree.path, "checkout", "-q", "--detach"), write(fixture, worktree, { "a.txt": "x\n" }), commit(fixture, worktree)] },
  { name: "its HEAD is detached and nothing else", changed: true, reason: /no branch is checked out/, act: ({ git }, { path }) => void git(path, "checkout", "-q", "--detach") },
  { name: "a commit was made and left", changed: true, reason: /other commits/, act: (fixture, worktree) => void [write(fixture, worktree, { "a.txt": "x\n" }), commit(fixture, worktree), fixture.git(worktree.path, "reset", "-q", "--hard", "HEAD~")] },
  { name: "the branch was deleted", changed: true, reason: /branch/, act: ({ git }, { path, branch }) => void [git(path, "checkout", "-q", "--detach"), git(path, "branch", "-D", branch)] },
  { name: "the branch was renamed", changed: true, reason: /the branch "mine" is checked out/, act: ({ git }, { path }) => void git(path, "branch", "-m", "mine") },
  { name: "its directory was deleted", changed: true, reason: /directory is gone/, act: (_, { path }) => rmSync(path, { recursive: true }) },
  { name: "its directory was moved by git", changed: true, reason: /moved to/, act: ({ git, home }, { path }) => void git(path, "worktree", "move", path, join(home, "elsewhere")) },
  { name: "its directory was renamed", changed: true, reason: /gone/, act: ({ home }, { path }) => renameSync(path, join(home, "elsewhere")) },
  { name: "its index is locked", changed: false, reason: /index is locked/, act: (_, { gitDirectory }) => writeFileSync(join(gitDirectory, "index.lock"), "") },
  { name: "its index cannot be read", changed: true, reason: /index file smaller/, act: (_, { gitDirectory }) => writeFileSync(join(gitDirectory, "index"), "no index") },
  { name: "it is locked", changed: false, reason: /it is locked/, act: ({ git }, { path }) => void git(path, "worktree", "lock", path) },
  { name: "its .git leads to another repository", changed: true, reason: /another repository/, act: ({ git, repository }, { path }) => void [git(repository, "init", "-q", join(path, "..", "..", "evil")), writeFileSync(join(path, ".git"), `gitdir: ${join(path, "..", "..", "evil", ".git")}\n`)] },
  {
    name: "its .git is a repository with a monitor",
    changed: true,
    reason: /not the one that git has made/,
    act: ({ git, canaryScript }, { path }) => void [rmSync(join(path, ".git")), git(path, "init", "-q"), git(path, "config", "core.fsmonitor", canaryScript("monitor"))],
  },
  { name: "a merge is going on", changed: true, reason: /a merge is going on/, act: (fixture, worktree) => [withConflict(fixture, worktree), failing(() => fixture.git(worktree.path, "merge", "other"))][1] },
  { name: "a rebase is going on", changed: true, reason: /a rebase is going on/, act: (fixture, worktree) => [withConflict(fixture, worktree), failing(() => fixture.git(worktree.path, "rebase", "other"))][1] },
  { name: "the checkout is sparse and nothing was done", changed: false, prepare: ({ git, repository }) => void git(repository, "sparse-checkout", "set", "--no-cone", "a.txt", ".gitignore") },
  { name: "a process works in it", changed: false, reason: /processes work in it/, act: (_, { path }) => sleeper(path) },
  { name: "another task works in it", changed: false, reason: /other tasks work in it: b12345678/, users: ["b12345678"] },
  {
    name: "a submodule in it has content",
    changed: true,
    reason: /a submodule in it/,
    prepare({ git, repository, home }) {
      git(home, "clone", "-q", repository, "library");
      git(repository, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", join(home, "library"), "library");
      git(repository, "commit", "-qm", "a submodule");
    },
    act: ({ git }, { path }) => void git(path, "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init"),
  },
];

function sleeper(cwd: string): Disposable {
  const child = Bun.spawn(["sleep", "60"], { cwd });
  return { [Symbol.dispose]: () => child.kill("SIGKILL") };
}

describe("when a task ends its worktree", () => {
  test.each(SITUATIONS)("$name", async ({ prepare, act, users, changed, reason }) => {
    using fixture = gitFixture();
    prepare?.(fixture);
    const { repository, world, git } = fixture;
    const before = checkoutState(repository);
    const { worktree } = await createWorktree({ id: generateTaskId("local_agent"), runId: "run", cwd: repository }, world);
    using _work = act?.(fixture, worktree) ?? undefined;
    const content = existsSync(worktree.path) ? filesIn(worktree.path) : undefined;
    const refs = git(repository, "for-each-ref");

    const outcome = await finishWorktree(worktree, world, { users: users ?? [] });

    expect(outcome).toMatchObject({ kept: reason !== undefined, changed, reason: expect.stringMatching(reason ?? /nothing in it has changed/) });
    expect(existsSync(fixture.canary)).toBe(false);
    if (reason === undefined) {
      expect(existsSync(worktree.path)).toBe(false);
      expect(checkoutState(repository)).toEqual(before);
      expect(git(repository, "for-each-ref", "--format=%(refname)")).toBe("refs/heads/main\n");
      return;
    }
    // Not a byte of it, and no ref, has gone.
    expect(existsSync(worktree.path) ? filesIn(worktree.path) : undefined).toEqual(content);
    expect(git(repository, "for-each-ref")).toBe(refs);
    const mine = (state: Readonly<Record<string, string>>) => Object.fromEntries(Object.entries(state).filter(([path]) => !/^\.git\/(worktrees|refs|packed-refs|logs|modules|config)\b/.test(path)));
    expect(mine(checkoutState(repository))).toEqual(mine(before));
  });
});
