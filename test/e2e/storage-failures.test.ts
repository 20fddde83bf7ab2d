import { describe, expect, test } from "bun:test";
import { runResult } from "../support/run-events.ts";
import { agentUser, type AgentUser } from "../support/spawn-agent.ts";

const HI = [{ reply: [{ text: "hi" }] }];

/** From then on no file of the process that runs this command can grow. */
const NO_MORE_ROOM = "prlimit --pid $PPID --fsize=1";

describe("what cannot be written is no success", () => {
  test.each([
    ["a command", (_user: AgentUser) => ["--exec", "--", "sh", "-c", NO_MORE_ROOM]],
    [
      "an agent",
      (user: AgentUser) => ["--permission-mode", "bypassPermissions", "-m", user.script([{ reply: [{ tool: "Bash", input: { command: NO_MORE_ROOM } }] }, ...HI]), "go"],
    ],
  ])("an ending that cannot be put on record, of %s: run.result says so and comes last", async (_what, args) => {
    using user = agentUser("test-hooks");
    const ended = await user.run(["run", "--output-format", "stream-json", ...args(user)], { env: { AGENT_TEST_STORAGE_WAIT_MS: "500" } });
    expect(runResult(ended.stdout)).toMatchObject({ type: "run.result", status: "failed", exit: { code: 14, reason: "storage" } });
    expect(ended.exitCode).toBe(14);
    // Whoever looks next, and has room, finds that nobody works on it any more.
    const listed = JSON.parse((await user.run(["ps", "-a", "--json"])).stdout) as { status: string }[];
    expect(new Set(listed.map((task) => task.status))).toEqual(new Set(["failed"]));
  });

  test.each(["text", "json", "stream-json"])("an answer that the disk has no room for, as %s", async (format) => {
    using user = agentUser();
    const ended = await user.shell(`agent run --output-format ${format} -m ${user.script(HI)} go > /dev/full`);
    expect(ended.exitCode).not.toBe(0);
    expect(ended.stderr).toContain("Cannot write to standard output: ENOSPC");
  });

  test("a list that the disk has no room for", async () => {
    using user = agentUser();
    const ended = await user.shell("agent ps > /dev/full");
    expect([ended.exitCode, ended.stdout]).toEqual([14, ""]);
  });

  test("a reader who has gone is no failure of a command that is done", async () => {
    using user = agentUser();
    const ended = await user.shell(`agent features | true; echo "\${PIPESTATUS[0]}"`);
    expect([ended.stdout, ended.stderr]).toEqual(["0\n", ""]);
  });
});
