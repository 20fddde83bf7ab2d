import { expect, test } from "bun:test";
import { allowsCommand, COMMAND_BYTES_MAX, hidesCommands, mayRunCommand, parseCommandPattern, plainCommandWords } from "../../src/permissions/match-command.ts";

const allows = (spec: string, command: string) => allowsCommand(parseCommandPattern(spec), command);
const mayRun = (spec: string, command: string) => mayRunCommand(parseCommandPattern(spec), command);

test.each([
  ["npm test:*", "npm test", true],
  ["npm test:*", "npm test -- --watch", true],
  ["npm test *", "npm test x", true],
  ["npm test:*", "npm testify", false],
  ["npm test:*", "npm", false],
  ["npm test:*", "npm run test", false],
  ["git status", "git status", true],
  ["git status", "git status -s", false],
  ["npm run test*", "npm run test:unit --x", true],
  ["npm run test*", "npm run build", false],
  ["git log:*", "git log --format=%h", true],
])("the rule %p and the plain command %p: %p", (spec, command, expected) => {
  expect(allows(spec, command)).toBe(expected);
});

test.each([
  "echo a && canary", "echo a; canary", "echo a | canary", "echo a |& canary", "echo a & canary", "echo a\ncanary", "echo a\rcanary", "echo a || canary",
  "(echo a)", "{ echo a; }", "echo $(canary)", "echo `canary`", "echo ${x}", "echo $x", "echo 'a'", 'echo "a"', "echo a\\ b", "echo *", "echo a?", "echo [a]", "echo {a,b}",
  "echo ~", "echo a > b", "echo a >> b", "echo < b", "echo <<X\n$(canary)\nX", "echo a # b", "echo !x", "! echo a", "echo  a", " echo a", "echo a ", "echo\ta",
  "X=1 echo a", "echo a\0b", "echo \u001b[31m", "echo a\u00a0b", "echo ｅ", "", `echo ${"a".repeat(COMMAND_BYTES_MAX)}`, `echo${" a".repeat(1_000)}`,
])("no allow rule covers %j, and it counts as hiding commands (A63, A64, A65, A66)", (command) => {
  expect(plainCommandWords(command)).toBeUndefined();
  expect(allows("echo:*", command)).toBe(false);
  expect(hidesCommands(command)).toBe(true);
});

test.each([
  "canary", "canary x", "env canary", "timeout 5 canary", "nice canary", "stdbuf -o0 canary", "exec canary", "/opt/bin/canary", "CANARY", "env -S canary",
  "env -Scanary", "git rebase --exec canary HEAD", "git rebase --exec=canary HEAD", "find . -execdir canary", "sudo -u x canary -f",
])("a deny rule for a command also means %p", (command) => {
  expect(mayRun("canary:*", command)).toBe(true);
});

test("the words of a deny rule count in their order, with anything between them", () => {
  expect(mayRun("git push:*", "git -C /x push origin")).toBe(true);
  expect(mayRun("git push", "git push --force")).toBe(true);
  expect(mayRun("git push:*", "git pull")).toBe(false);
  expect(mayRun("rm:*", "npm run build")).toBe(false);
  expect(mayRun("rm*", "rmdir x")).toBe(true);
  expect(mayRun("rm:*", "rmdir x")).toBe(false);
  expect(mayRun("rm -rf ~", "rm -rf ~")).toBe(true);
});

test.each(["bash x.sh", "env sh x.sh", "/bin/zsh -c x", "eval x", "source x", ". x", "xargs x"])("%p hands its work to a shell that cannot be looked into", (command) => {
  expect(hidesCommands(command)).toBe(true);
});

test("an ordinary plain command hides nothing", () => {
  expect(hidesCommands("npm run build -- --mode=x ./src/a.ts @scope/pkg a,b +x user:group 50%")).toBe(false);
});
