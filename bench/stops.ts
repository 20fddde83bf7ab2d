import { newToken, processesWithTokens } from "../test/support/escapees.ts";
import { agentUser, type AgentUser } from "../test/support/spawn-agent.ts";
import { waitFor } from "../test/support/wait-for.ts";
import { median } from "./measure.ts";
import type { Measurement } from "./measurement.ts";

const RUNS = 20;
const TASKS_OF_A_RUN = 50;
const GRACE_MS = 5_000;

const LOOP = "while :; do sleep 300; done";
const DAEMON = `(env -i setsid bash -c 'exec -a TOKEN sleep 300 &' </dev/null >/dev/null 2>&1 &)`;
const STUBBORN = `trap "" TERM; ${LOOP}`;

/** How long `agent stop` of one task of a run takes, and what goes on of a task that has made a daemon. */
export const stops: Measurement = async ({ programs }) => {
  using user = agentUser(undefined, { program: programs.agent });
  const times: number[] = [];
  let left = 0;
  for (let run = 0; run < RUNS; run++) {
    const stopped = await stopAll(user, { command: `${DAEMON}\nexec sleep 300`, count: TASKS_OF_A_RUN });
    times.push(...stopped.times);
    left += stopped.left;
  }
  const stubborn = await stopAll(user, { command: `${STUBBORN} # TOKEN`, count: 1 });
  return [
    { what: `daemons left by ${RUNS * TASKS_OF_A_RUN} tasks that were stopped`, value: left, atMost: 0, digits: 0 },
    { what: "ms to stop a task that obeys, median", value: median(times), atMost: 50, digits: 1, note: `most ${Math.max(...times).toFixed(1)}` },
    { what: "ms to stop a task that ignores it, beyond the grace period", value: Math.max(...stubborn.times) - GRACE_MS, atMost: 500, digits: 0 },
  ];
};

/** Starts tasks that each have a process with a token, and stops one after the other. */
async function stopAll(user: AgentUser, tasks: { readonly command: string; readonly count: number }): Promise<{ readonly times: number[]; readonly left: number }> {
  const tokens = Array.from({ length: tasks.count }, newToken);
  const calls = tokens.map((token) => ({ tool: "Bash", input: { command: tasks.command.replaceAll("TOKEN", token), run_in_background: true } }));
  const model = user.script([{ reply: calls }, { reply: [{ tool: "Bash", input: { command: "exec sleep 300" } }] }]);
  const agent = user.start(["run", "--permission-mode", "bypassPermissions", "-m", model, "go"]);
  await waitFor(() => processesWithTokens(tokens).size === tokens.length, { timeoutMs: 30_000 });
  const ids = (await user.run(["ps", "-q"])).stdout.split("\n").filter((id) => id.startsWith("b"));
  const times: number[] = [];
  for (const id of ids) {
    const startedAt = performance.now();
    const { exitCode, stderr } = await user.run(["stop", "--timeout", "30s", id]);
    if (exitCode !== 0) throw new Error(`Cannot stop: ${stderr}`);
    times.push(performance.now() - startedAt);
  }
  const left = [...processesWithTokens(tokens).values()].flat().length;
  agent.kill("SIGTERM");
  await agent.ended;
  return { times, left };
}
