import { newToken, processesWithTokens } from "../test/support/escapees.ts";
import { agentUser, type AgentUser } from "../test/support/spawn-agent.ts";
import { waitFor } from "../test/support/wait-for.ts";
import { median } from "./measure.ts";
import type { Measurement } from "./measurement.ts";

const ROUNDS = 100;
const SPAWNING_MS_MAX = 200;
const WATCH_MS = 1_000;

/** A run is killed while it starts daemons that have nothing of its environment: how many live on, and for how long. */
export const orphans: Measurement = async ({ programs }) => {
  const rounds: Awaited<ReturnType<typeof killWhileSpawning>>[] = [];
  // Whoever may not look into every process has the harder task.
  using user = agentUser(undefined, { program: programs.agent, uid: process.getuid?.() === 0 ? 65_534 : undefined });
  for (let round = 0; round < ROUNDS; round++) rounds.push(await killWhileSpawning(user));
  const alive = rounds.reduce((sum, each) => sum + each.alive, 0);
  const times = rounds.map(({ goneMs }) => goneMs);
  return [
    { what: `processes left 1 s after ${ROUNDS} runs were killed`, value: rounds.reduce((sum, each) => sum + each.left, 0), atMost: 0, digits: 0, note: `${alive} lived when they were killed` },
    { what: "ms until all were gone, median", value: median(times), atMost: 250, digits: 0 },
    { what: "ms until all were gone, most", value: Math.max(...times), atMost: 1_000, digits: 0 },
  ];
};

async function killWhileSpawning(user: AgentUser): Promise<{ readonly alive: number; readonly left: number; readonly goneMs: number }> {
  const token = newToken();
  const quiet = "</dev/null >/dev/null 2>&1";
  const daemon = (start: string) => `${start} bash -c 'exec -a ${token} sleep 300' ${quiet} &`;
  const command = `while :; do ${daemon("env -i setsid")} (${daemon("setsid")}) ; sleep 0.005; done`;
  const model = user.script([{ reply: [{ tool: "Bash", input: { command } }] }]);
  const agent = user.start(["run", "--permission-mode", "bypassPermissions", "-m", model, "go"]);
  const living = () => processesWithTokens([token]).get(token) ?? [];
  const count = () => living().length;
  await waitFor(() => count() > 0);
  await Bun.sleep(Math.random() * SPAWNING_MS_MAX);
  const alive = count();
  agent.kill("SIGKILL");
  const killedAt = performance.now();
  while (count() > 0 && performance.now() - killedAt < WATCH_MS) await Bun.sleep(5);
  const goneMs = performance.now() - killedAt;
  await agent.ended;
  await Bun.sleep(Math.max(0, WATCH_MS - goneMs));
  const left = living();
  for (const pid of left) process.kill(pid, "SIGKILL");
  return { alive, left: left.length, goneMs };
}
