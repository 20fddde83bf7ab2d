import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentUser } from "../support/spawn-agent.ts";
import { waitFor } from "../support/wait-for.ts";

/** How often a process has gone to sleep so far: a process that looks again and again does so each time. */
function sleeps(pid: number): number {
  return Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}

test("who waits sleeps meanwhile, and hears of the end at once", async () => {
  using user = agentUser();
  const id = (await user.run(["run", "-d", "--exec", "--", "sh", "-c", "until [ -e go ]; do sleep 0.05; done; date +%s%3N"])).stdout.trim();
  const [record] = JSON.parse((await user.run(["inspect", id])).stdout) as { run: { pid: number } }[];
  const waiting = user.start(["wait", id]);
  // What it does at first, until the owner of the task listens, does not count.
  await waitFor(() => sleeps(waiting.pid) > 1);
  await Bun.sleep(1_000);
  const before = { waiter: sleeps(waiting.pid), owner: sleeps(record?.run.pid ?? 0) };
  await Bun.sleep(2_000);
  expect(sleeps(waiting.pid) - before.waiter).toBeLessThan(20);
  expect(sleeps(record?.run.pid ?? 0) - before.owner).toBeLessThan(40);

  writeFileSync(join(user.project, "go"), "");
  const { stdout, exitCode } = await waiting.ended;
  expect(exitCode).toBe(0);
  expect(Date.now() - Number(stdout.trim())).toBeLessThan(900);
});
