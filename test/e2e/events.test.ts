import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { events } from "../support/run-events.ts";
import { killHard } from "../support/processes.ts";
import { agentUser, type AgentUser } from "../support/spawn-agent.ts";

const WAIT_FOR_FILE = { tool: "Bash", input: { command: "until [ -e go ]; do sleep 0.02; done; printf 'x%.0s' {1..50000}" } };

async function runOf(user: AgentUser, id: string): Promise<{ pid: number; eventsFile: string }> {
  const [record] = JSON.parse((await user.run(["inspect", id])).stdout) as { run: { pid: number }; eventsFile: string }[];
  return { pid: record?.run.pid ?? 0, eventsFile: record?.eventsFile ?? "" };
}

test("a run that is followed gives every event once, as it is stored, and ends with it", async () => {
  using user = agentUser();
  const script = user.script([{ reply: [WAIT_FOR_FILE] }, { reply: [{ text: "done" }] }]);
  const id = (await user.run(["run", "-d", "--permission-mode", "bypassPermissions", "-m", script, "x"])).stdout.trim();
  const follower = user.start(["events", "-f", id]);
  const late = user.start(["events", "-f", "--since", "3"]);
  writeFileSync(join(user.project, "go"), "");
  const { stdout, stderr, exitCode } = await follower.ended;
  expect([exitCode, stderr]).toEqual([0, ""]);
  expect(events(stdout).at(-1)).toMatchObject({ type: "run.result", status: "completed" });
  expect(stdout).toBe(readFileSync((await runOf(user, id)).eventsFile, "utf8"));
  expect((await late.ended).stdout).toBe(stdout.split("\n").slice(3).join("\n"));
});

test("after kill -9 the followed log ends with the result that was written in its place", async () => {
  using user = agentUser();
  const script = user.script([{ reply: [WAIT_FOR_FILE] }]);
  const id = (await user.run(["run", "-d", "--permission-mode", "bypassPermissions", "-m", script, "x"])).stdout.trim();
  const follower = user.start(["events", "-f", id]);
  await killHard((await runOf(user, id)).pid);
  const { stdout, exitCode } = await follower.ended;
  expect(exitCode).toBe(0);
  expect(events(stdout).at(-1)).toMatchObject({ type: "run.result", status: "failed", exit: { reason: "owner_lost" }, recovered: true });
  expect((await user.run(["events", id])).stdout).toBe(stdout);
});

test("a reader that wants no more ends it with 141", async () => {
  using user = agentUser();
  const script = user.script([{ reply: [{ tool: "Bash", input: { command: "true" } }] }], { repeatLast: true });
  const id = (await user.run(["run", "-d", "--permission-mode", "bypassPermissions", "--max-turns", "100", "-m", script, "x"])).stdout.trim();
  const { stdout } = await user.shell(`agent events -f ${id} | head -n 1; echo \${PIPESTATUS[0]}`);
  expect(stdout).toEndWith("\n141\n");
  await user.run(["wait", "-q", id]);
});

test("a slow reader gets all of a long log", async () => {
  using user = agentUser();
  const script = user.script([...Array.from({ length: 30 }, () => ({ reply: [{ tool: "Bash", input: { command: "printf 'x%.0s' {1..20000}" } }] })), { reply: [{ text: "done" }] }]);
  await user.run(["run", "--permission-mode", "bypassPermissions", "-m", script, "x"]);
  const { stdout } = await user.shell("agent events | (sleep 0.5; cat) > copy; cmp copy \"$(agent inspect $(agent ps -aq | tail -n 1) | grep -o '\"eventsFile\":\"[^\"]*' | cut -d'\"' -f4)\" && echo same");
  expect(existsSync(join(user.project, "copy"))).toBe(true);
  expect(stdout).toBe("same\n");
});
