import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { agentUser } from "../support/spawn-agent.ts";

interface Event {
  readonly type: string;
  readonly seq: number;
  readonly exit?: { readonly reason: string };
  readonly error?: { readonly code: string };
}

function parse(lines: string): Event[] {
  return lines.trimEnd().split("\n").map((line) => JSON.parse(line) as Event);
}

describe("a command that cannot be started", () => {
  test("ends its run as every other failure does: with run.result, printed and in the log", async () => {
    using user = agentUser();
    const ended = await user.run(["run", "--output-format", "stream-json", "--exec", "--", "/no/such/program"]);
    const events = parse(ended.stdout);
    expect(events.map((event) => event.type)).toEqual(["run.started", "task.started", "task.updated", "run.result"]);
    expect(events.at(-1)).toMatchObject({ exit: { code: 1, reason: "failed" }, error: { code: "spawn_failed" } });
    expect(ended.exitCode).toBe(1);
    const sessions = join(user.stateDirectory, "sessions");
    const [log = ""] = readdirSync(sessions, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ndjson"));
    expect(parse(readFileSync(join(sessions, log), "utf8"))).toEqual(events);
  });

  test("fails the launcher in the background, with the record kept", async () => {
    using user = agentUser();
    const launched = await user.run(["run", "-d", "--name", "gone", "--exec", "--", "/no/such/program"]);
    expect([launched.exitCode, launched.stdout]).toEqual([1, ""]);
    expect(launched.stderr).toContain('Cannot start "/no/such/program"');
    expect((await user.run(["wait", "gone"])).exitCode).toBe(1);
  });
});
