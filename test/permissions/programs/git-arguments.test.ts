import { expect, test } from "bun:test";
import { describeText, judge, spelled } from "./shell-words.ts";

test.each([
  "git status -s", "git log --oneline -5", "git log --format='%h %s' -3", "git diff --stat HEAD~1", "git show HEAD:README.md", "git commit -m $x", "git commit -am $x", "git commit --message=$x", "git add -- $x", "git --no-pager log",
  "git log -S --output=x", "git log -n $x", "git log --author $x", "git diff -- $x", "git checkout -b $x", "git push -u origin main", "git config user.name", "git config --get x.y", "git config -l", "git branch -a", "git stash push -m $x",
  "git remote -v", "git rebase main", "git bisect start HEAD HEAD~1", "git submodule update", "git grep -n x", "git grep -o x", "git rev-parse HEAD", "git ls-files", "git worktree add ../w", "git merge --no-ff x", "git log --text",
])("a rule covers %s, which is not pure", (command) => {
  expect(judge(command)).toBe("rule");
});

test.each([
  ["git -c core.fsmonitor=canary status", 1],
  ["git -c alias.zz='!canary' zz", 1],
  ["git --config-env=core.pager=X log", 0],
  ["git --exec-path=/x status", 0],
  ["git -C /x status", 1],
  ["git --git-dir=/x status", 0],
  ["git --git-dir /x status", 1],
  ["git -p log", 0],
  ["git $x", 0],
  ["git diff --output=x", 1],
  ["git diff --output x", 2],
  ["git log --outp=x", 1],
  ["git log $x", 1],
  ["git log -m --output=x", 2],
  ["git archive -o x HEAD", 2],
  ["git archive --remote=r --exec=canary HEAD", 2],
  ["git ls-remote --upload-pa=canary .", 1],
  ["git ls-remote ext::canary", 1],
  ["git fetch fd::3", 1],
  ["git rebase --exec canary HEAD~1", 2],
  ["git rebase -x canary HEAD~1", 2],
  ["git rebase -i HEAD~1", 1],
  ["git bisect run canary", 1],
  ["git submodule foreach canary", 1],
  ["git grep -O x", 1],
  ["git grep -Ocanary x", 1],
  ["git grep --open=canary x", 1],
  ["git clone -c x=y url", 2],
  ["git clone -u canary url", 2],
  ["git clone --template=x url", 1],
  ["git commit -S -m x", 1],
  ["git config x.y z", 2],
  ["git config --unset x.y", 1],
  ["git remote add x url", 1],
  ["git difftool", 0],
  ["git filter-branch", 0],
  ["git log --ext-diff", 1],
  ["git cat-file --textconv x", 1],
  ["git -c a=b log --output=x", 3],
])("a rule covers %s only where it reaches word %i", (command, index) => {
  expect(judge(command)).toBe(`danger@${index}`);
});

test("what is written is named, and what a comparison reads", () => {
  expect(spelled(describeText("git diff --output=x")?.writes)).toEqual(["x"]);
  expect(spelled(describeText("git diff --no-index a /etc/passwd")?.reads)).toEqual(["a", "/etc/passwd"]);
  expect(spelled(describeText("git clone url dir")?.writes)).toEqual(["dir"]);
  expect(spelled(describeText("git worktree add ../w")?.writes)).toEqual(["../w"]);
});
