import { expect, test } from "bun:test";
import { readFileSync, symlinkSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { events, eventsOfType, runResult } from "../support/run-events.ts";
import { ROOT } from "../support/source-tree.ts";
import { agentUser } from "../support/spawn-agent.ts";

test("it works on its own source: it changes a file and runs the tests of it", async () => {
  using user = agentUser();
  const clone = join(user.home, "clone");
  const cloned = await user.shell(`git -c safe.directory='*' clone -q --local ${ROOT} ${clone}`);
  expect(cloned).toMatchObject({ stderr: "", exitCode: 0 });
  symlinkSync(join(ROOT, "node_modules"), join(clone, "node_modules"));
  const script = user.script([
    { expect: { prompt: "once.ts" }, reply: [{ text: "I will look." }, { tool: "Glob", input: { pattern: "**/once*.ts" } }, { tool: "Read", input: { file_path: "src/lib/once.ts" } }] },
    {
      expect: { results: [{ tool: "Glob", contains: "test/lib/once.test.ts", isError: false }, { tool: "Read", contains: "export function once", isError: false }] },
      reply: [{ tool: "Edit", input: { file_path: "src/lib/once.ts", old_string: "export function once", new_string: "/** Computed at the first call. */\nexport function once" } }],
    },
    { expect: { results: [{ tool: "Edit", isError: false }] }, reply: [{ tool: "Bash", input: { command: "bun test test/lib/once.test.ts" } }] },
    { expect: { results: [{ tool: "Bash", contains: " 0 fail", isError: false }] }, reply: [{ text: "passed" }] },
  ]);
  const ended = await user.run(["run", "--output-format", "stream-json", "--permission-mode", "acceptEdits", "--allow", "Bash(bun test:*)", "-m", script, "document once.ts"], {
    cwd: clone,
    env: { PATH: `${dirname(process.execPath)}${delimiter}${user.env["PATH"]}` },
  });
  expect(ended.stderr).toBe("");
  expect(runResult(ended.stdout)).toMatchObject({ status: "completed", result: "passed", num_turns: 4 });
  expect(eventsOfType(events(ended.stdout), "tool.completed").filter((event) => event.is_error)).toEqual([]);
  expect(readFileSync(join(clone, "src/lib/once.ts"), "utf8")).toContain("/** Computed at the first call. */\nexport function once");
  expect((await user.shell("git status --porcelain --untracked-files=no", { cwd: clone })).stdout).toBe(" M src/lib/once.ts\n");
});
