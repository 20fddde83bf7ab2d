import { expect, test } from "bun:test";
import { coversWords, mayRunWords, parseCommandPattern } from "../../src/permissions/command-pattern.ts";
import type { ShellWord } from "../../src/core/shell-command.ts";

const words = (command: string): ShellWord[] => command.split(" ").map((value) => (value.startsWith("?") ? { prefix: value.slice(1), isMultiple: true } : { value, prefix: value, isMultiple: false }));
const covers = (spec: string, command: string) => coversWords(parseCommandPattern(spec), words(command));
const mayRun = (spec: string, command: string) => mayRunWords(parseCommandPattern(spec), words(command));

test.each([
  ["npm test:*", "npm test", true],
  ["npm test:*", "npm test -- --watch", true],
  ["npm test:*", "npm test ?", true],
  ["npm test *", "npm test x", true],
  ["npm test:*", "npm testify", false],
  ["npm test:*", "npm", false],
  ["npm test:*", "npm run test", false],
  ["npm test:*", "npm ?te", false],
  ["npm test:*", "/usr/bin/npm test", false],
  ["git status", "git status", true],
  ["git status", "git status -s", false],
  ["npm run test*", "npm run test:unit --x", true],
  ["npm run test*", "npm run ?test:", true],
  ["npm run test*", "npm run ?te", false],
  ["npm run test*", "npm run build", false],
])("the rule %p and the command %p, where ? is computed: %p", (spec, command, expected) => {
  expect(covers(spec, command)).toBe(expected);
});

test.each(["canary", "canary x", "/opt/bin/canary", "CANARY", "?", "?can", "?/opt/"])("a deny rule for canary also means %p", (command) => {
  expect(mayRun("canary:*", command)).toBe(true);
});

test.each(["echo canary", "canaryx", "?rm", "npm run canary"])("a deny rule for canary does not mean %p", (command) => {
  expect(mayRun("canary:*", command)).toBe(false);
});

test.each([
  ["git push:*", "git -C /x push origin", true],
  ["git push", "git push --force", true],
  ["git push:*", "git pull", false],
  ["git push:*", "git ?", true],
  ["git push:*", "git ?pu", true],
  ["git push:*", "git ?log", false],
  ["rm:*", "rmdir x", false],
  ["rm*", "rmdir x", true],
  ["rm -rf:*", "rm -r -f x", true],
  ["rm -rf:*", "rm -fr x", true],
  ["rm -rf:*", "rm -r x", false],
  ["git rebase --exec:*", "git rebase --exec=x", true],
  ["curl -o:*", "curl -ofile x", true],
  ["rm -rf ~", "rm -rf ~", true],
])("the deny rule %p and the command %p: %p", (spec, command, expected) => {
  expect(mayRun(spec, command)).toBe(expected);
});
