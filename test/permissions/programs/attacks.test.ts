import { expect, test } from "bun:test";
import { describeText, judge } from "./shell-words.ts";

/** The simple command of each attack that carries it, as the words come from the shell. */
test.each([
  "git -c 'core.fsmonitor=canary;false' status",
  "git -c 'alias.zz=!canary' zz",
  "git -c core.sshCommand=canary fetch ssh://localhost/x",
  "git diff --output=OUTSIDE.txt HEAD~1 HEAD",
  "git archive --output=OUTSIDE.txt HEAD",
  "git ls-remote --upload-pa=canary .",
  "git rebase --exec canary HEAD~1",
  "git bisect run canary",
  "git config --file .gitmodules x.y z",
  "git config core.fsmonitor 'canary;false'",
  "git config diff.c.textconv canary",
  "git submodule foreach --quiet true",
  "git -c protocol.ext.allow=always ls-remote ext::canary",
  "find . -maxdepth 0 -execdir canary {} +",
  "find . -maxdepth 0 -fprintf OUTSIDE.txt x",
  "find . -maxdepth 0 -ok canary ';'",
  "sed -n '1e canary' /etc/hostname",
  "sed -n 'w OUTSIDE.txt' /etc/hostname",
  "sed 's/x*/y/w OUTSIDE.txt' /etc/hostname",
  "sed -i'/../OUTSIDE-*' s/a/a/ h.txt",
  "mv h.txt OUTSIDE.txt",
  "sort -o OUTSIDE.txt /etc/hostname",
  "tar cf /dev/null --checkpoint=1 --checkpoint-action=exec=canary /etc/hostname",
  "tar -cf x.tar -I canary /etc/hostname",
  "awk 'BEGIN{print 1 > \"OUTSIDE.txt\"}'",
  "make '--eval=$(shell canary)' -n -f /dev/null all",
  "tee OUTSIDE.txt",
  "uniq /etc/hostname OUTSIDE.txt",
  "xxd -r -p - OUTSIDE.txt",
  "history -w OUTSIDE.txt",
  "printf -v 'a[$(canary)]' x",
])("%s is dangerous, or says what it writes", (command) => {
  const report = describeText(command);
  expect(report?.danger !== undefined || (report?.writes ?? []).some(({ value }) => value?.includes("OUTSIDE") === true)).toBe(true);
});

test.each(["echo 'x; y | z'", "echo 'it costs $5'", "ls -la src", "cat a.txt b.txt", "echo a", "find . -name '*.ts' -type f", "ls", "cat", "echo canary", "echo -- --help", "grep -r '--include=*.ts' canary src", "echo 日本語"])("%s is pure", (command) => {
  expect(judge(command)).toBe("pure");
});

test.each(["git log --oneline -5", "git diff --stat HEAD~1", "git show HEAD:README.md", "git log '--format=%h %s' -3"])("a rule covers %s", (command) => {
  expect(judge(command)).toBe("rule");
});
