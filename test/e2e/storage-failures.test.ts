import { describe, expect, test } from "bun:test";
import { agentUser } from "../support/spawn-agent.ts";

const HI = [{ reply: [{ text: "hi" }] }];

describe("what cannot be written is no success", () => {
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
