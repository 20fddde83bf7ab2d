import { expect, test } from "bun:test";
import { isAlive } from "../support/processes.ts";
import { agentUser } from "../support/spawn-agent.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { waitFor } from "../support/wait-for.ts";

/** Its own process group, and no output held: nobody waits for it. */
const LEAVES_ONE = "set -m; sleep 300 < /dev/null > /dev/null 2>&1 & echo $! > pid";

test("a run that is over leaves nothing behind, in whatever process group it is", async () => {
  using user = agentUser();
  const script = user.script([{ reply: [{ tool: "Bash", input: { command: LEAVES_ONE } }] }, { reply: [{ text: "done" }] }], { repeatLast: true });
  const ended = await user.run(["run", "--permission-mode", "bypassPermissions", "-m", script, "go"]);
  expect([ended.stdout, ended.exitCode]).toEqual(["done\n", 0]);
  await waitFor(() => !isAlive(Number(readFileSync(join(user.project, "pid"), "utf8"))));
});

test("a run that an agent starts in the background goes on after the agent", async () => {
  using user = agentUser();
  const inner = user.script([{ reply: [{ tool: "Bash", input: { command: "sleep 300" } }] }, { reply: [{ text: "never" }] }]);
  const launch = `agent run -d --name inner --permission-mode bypassPermissions -m ${inner} go`;
  const script = user.script([{ reply: [{ tool: "Bash", input: { command: launch } }] }, { reply: [{ text: "launched" }] }]);
  expect((await user.run(["run", "--permission-mode", "bypassPermissions", "-m", script, "go"])).exitCode).toBe(0);
  expect((await user.run(["ps", "-q", "--filter", "name=inner"])).stdout).not.toBe("");
  expect((await user.run(["stop", "inner"])).exitCode).toBe(0);
});
