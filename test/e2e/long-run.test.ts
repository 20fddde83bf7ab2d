import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Answer } from "../support/messages-api/answer.ts";
import type { Json } from "../support/messages-api/json.ts";
import { startMessagesApi } from "../support/messages-api/server.ts";
import { agentUser, type AgentProcess } from "../support/spawn-agent.ts";

const STEPS = 500;
const KILLS = 5;
const FAULT_SHARE = 0.1;
const TEST_MS_MAX = 120_000;

/**
 * A model that does one step after the other and looks at the results: what has not come to its end, it does again in a
 * way that does no harm.
 */
function nextStep(body: Json): Answer {
  const messages = JSON.stringify(body["messages"]);
  const done = [...messages.matchAll(/step (\d+) is done/g)].at(-1)?.[1];
  const step = Number(done ?? 0) + 1;
  if (step > STEPS) return { content: [{ type: "text", text: `all ${STEPS} steps are done` }] };
  const command = `grep -qx 'line ${step}' log || echo 'line ${step}' >> log; echo "step ${step} is"' done'`;
  return { content: [{ type: "text", text: `now ${step}` }, { type: "tool_use", name: "Bash", input: { command } }] };
}

test(`${STEPS} turns with faults at random turns, killed ${KILLS} times and resumed, end as an undisturbed run does`, async () => {
  using user = agentUser();
  let seed = 7;
  const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  let accepted = 0;
  const killAt = new Set(Array.from({ length: KILLS }, (_, index) => 60 + index * 90));
  let running: AgentProcess | undefined;
  await using api = startMessagesApi({
    script: ({ body }) => {
      if (killAt.delete(++accepted)) running?.kill("SIGKILL");
      return random() < FAULT_SHARE ? fault(random()) : nextStep(body);
    },
  });
  const env = { ...api.env(), AGENT_API_ATTEMPTS: "10" };
  const flags = ["--max-turns", "600", "--permission-mode", "bypassPermissions", "--output-format", "json"];
  running = user.start(["run", ...flags, "do all steps"], { env });
  let ended = await running.ended;
  let resumed = 0;
  while (ended.signal === "SIGKILL") {
    resumed++;
    running = user.start(["run", "--continue", ...flags, "go on"], { env });
    ended = await running.ended;
  }
  expect({ resumed, exitCode: ended.exitCode, result: JSON.parse(ended.stdout || "{}").result, stderr: ended.stderr }).toMatchObject({ resumed: KILLS, exitCode: 0, result: `all ${STEPS} steps are done` });
  expect(readFileSync(join(user.project, "log"), "utf8")).toBe(Array.from({ length: STEPS }, (_, index) => `line ${index + 1}\n`).join(""));
  api.expectNoRefusals();
}, TEST_MS_MAX);

function fault(kind: number): Answer {
  const headers = { "retry-after-ms": "1" };
  if (kind < 0.45) return { status: 429, type: "rate_limit_error", message: "slow down", headers };
  if (kind < 0.9) return { status: 529, type: "overloaded_error", message: "Overloaded", headers };
  const content = [{ type: "text", text: "This reply breaks off before it has said anything of use" }] as const;
  return kind < 0.95 ? { content, faults: { breakOff: { how: "reset", afterEvents: 3 } } } : { content, faults: { errorEvent: { type: "overloaded_error", message: "Overloaded", afterEvents: 2 } } };
}
