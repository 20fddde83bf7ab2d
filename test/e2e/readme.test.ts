import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { EXIT_CODES } from "../../src/core/exit-code.ts";
import { executable } from "../support/executable.ts";
import { ROOT } from "../support/source-tree.ts";
import { agentUser, type AgentUser } from "../support/spawn-agent.ts";

const README = readFileSync(join(ROOT, "README.md"), "utf8");
const BLOCKS = [...README.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map((match) => (match[1] ?? "").trimEnd().split("\n"));
/** They build this program, which has been done, or name a service or a task that is not there. */
const LEFT_OUT = /^(npx |export ANTHROPIC_|agent (diff|apply|discard) ID)/;
const EXPECTED_CODES: readonly (readonly [command: RegExp, code: number])[] = [
  // The task has ended by then.
  [/^agent (stop|interrupt) nightly$/, EXIT_CODES.conflict],
  // The model of this test says "done", whatever it is asked.
  [/^agent run --json-schema /, EXIT_CODES.schema],
];

describe("the commands of README.md do what they say, as they are printed", () => {
  test("there are some", () => {
    expect(BLOCKS.flat().filter(isRun).length).toBeGreaterThan(10);
  });

  test.each(BLOCKS.filter((lines) => lines.some(isRun)).map((lines) => [lines.find(isRun), lines.filter(isRun)] as const))("from %j on", async (_first, lines) => {
    using user = agentUser();
    prepareProject(user);
    const script = lines.map((line) => `${line}\necho "$?" >> codes`).join("\n");
    // Never asked: the model is a script. A fallback is checked before.
    const env = { ANTHROPIC_API_KEY: "unused", AGENT_MODEL: user.script([{ reply: [{ text: "done" }] }], { repeatLast: true }), PATH: `${join(user.home, "bin")}${delimiter}${user.env["PATH"]}` };
    const ended = await user.shell(`git init -q .; git add .; git -c user.name=t -c user.email=t@t.test commit -qm begin; git tag v1.2; echo changed >> notes; ${script}`, { env });
    const codes = readFileSync(join(user.project, "codes"), "utf8").trim().split("\n").map(Number);
    const expected = lines.map((line) => EXPECTED_CODES.find(([command]) => command.test(line.replace(/\s+#.*/, "")))?.[1] ?? 0);
    expect({ lines, codes, stderr: ended.stderr }).toEqual({ lines, codes: expected, stderr: ended.stderr });
    await user.run(["stop", "--all"]);
  });
});

test("README.md names no flag that does not exist", async () => {
  using user = agentUser();
  const commands = ["run", "ps", "logs", "wait", "stop", "inspect", "rm", "gc", "config", "events", "send", "interrupt", "resume", "completion", "permissions", "agents", "diff", "apply", "discard"];
  const helps = await Promise.all(commands.map(async (command) => (await user.run(["help", command])).stdout));
  const known = new Set(helps.join("\n").match(/--[a-z][a-z-]*/g));
  // Not those of the commands that policies are about.
  const own = README.replaceAll(/^```text[\s\S]*?^```/gm, "").replaceAll(/`?bun build\.ts.*|Bash\([^)]*\)/g, "");
  const named = new Set(own.match(/(?<![\w-])--[a-z][a-z-]*/g));
  expect([...named].filter((flag) => !known.has(flag) && !["--frozen-lockfile"].includes(flag))).toEqual([]);
});

test("the exit statuses of README.md are those of the program", () => {
  const rows = [...README.matchAll(/^\| ([\d, ]+) \| ((?:`\w+`(?:, )?)+) \|/gm)];
  const documented = rows.flatMap(([, codes = "", reasons = ""]) => {
    const numbers = codes.split(", ").map(Number);
    return reasons.split(", ").map((reason, index) => [reason.replaceAll("`", ""), numbers[index] ?? numbers[0]] as const);
  });
  expect(documented.length).toBeGreaterThan(10);
  const codes: Readonly<Record<string, number | undefined>> = EXIT_CODES;
  for (const [reason, code] of documented) expect([reason, codes[reason]]).toEqual([reason, code]);
});

function isRun(line: string): boolean {
  return line.trim() !== "" && !LEFT_OUT.test(line);
}

/** What the commands find where they are run: a build of the program, something to make, something to review. */
function prepareProject(user: AgentUser): void {
  mkdirSync(join(user.project, "dist"));
  symlinkSync(executable(), join(user.project, "dist", "agent"));
  writeFileSync(join(user.project, "Makefile"), "all:\n\t@echo made\n");
  writeFileSync(join(user.project, "notes"), "notes\n");
  // A stand-in that knows the one expression that is used, for machines without it.
  const jq = join(user.home, "bin", "jq");
  mkdirSync(join(user.home, "bin"));
  writeFileSync(jq, `#!/bin/sh\ntest "$*" = "-e .exit.code == 0" && exec "${process.execPath}" -e 'process.exit(JSON.parse(await Bun.stdin.text()).exit.code === 0 ? 0 : 1)'\n`);
  chmodSync(jq, 0o755);
}
