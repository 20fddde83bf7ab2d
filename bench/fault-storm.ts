import { join } from "node:path";
import { startMessagesApi } from "../test/support/messages-api/server.ts";
import type { Answer } from "../test/support/messages-api/answer.ts";
import { measure } from "./measure.ts";
import type { Measurement } from "./measurement.ts";

const RUNS = 200;
const RUNS_AT_ONCE = 4;
const TURNS = 5;
const FAULT_SHARE = 0.3;

/** Runs against a service of which every third request fails: how many finish, and with how many more requests. */
export const faultStorm: Measurement = async ({ programs, directory, amount = RUNS }) => {
  let seed = 1;
  const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  await using api = startMessagesApi({
    script({ body }) {
      const turn = (body["messages"] as readonly { readonly role: string }[]).filter(({ role }) => role === "assistant").length;
      return random() < FAULT_SHARE ? fault(random()) : turnOf(turn);
    },
  });
  let finished = 0;
  let next = 0;
  async function worker(): Promise<void> {
    while (next < amount) {
      const index = next++;
      const run = await measure([programs.agent, "run", "--permission-mode", "bypassPermissions", "go"], {
        env: { ...api.env(), AGENT_STATE_DIR: join(directory, String(index % RUNS_AT_ONCE)), AGENT_API_ATTEMPTS: "12" },
      });
      if (run.exitCode === 0) finished++;
    }
  }
  await Promise.all(Array.from({ length: RUNS_AT_ONCE }, worker));
  api.expectNoRefusals();
  const faultFree = amount * (TURNS + 1);
  return [
    { what: "runs of 100 that do not finish in a storm of faults", value: (1 - finished / amount) * 100, atMost: 1, note: `${finished} of ${amount}` },
    { what: "requests / requests without faults", value: api.requests.length / faultFree, atMost: 2, note: `${api.requests.length} of ${faultFree}` },
  ];
};

function turnOf(turn: number): Answer {
  if (turn < TURNS) return { content: [{ type: "tool_use", name: "Bash", input: { command: `echo ${turn}` } }] };
  return { content: [{ type: "text", text: "done" }] };
}

/** A limit, an overload, a broken connection or a reply that breaks off. */
function fault(kind: number): Answer {
  const soon = { "retry-after-ms": "5" };
  if (kind < 0.25) return { status: 429, type: "rate_limit_error", message: "slow down", headers: soon };
  if (kind < 0.5) return { status: 529, type: "overloaded_error", message: "Overloaded", headers: soon };
  const content = [{ type: "text", text: "This reply does not come to its end, whatever it says" }] as const;
  if (kind < 0.75) return { content, faults: { resetBeforeHeaders: true } };
  return { content, faults: { breakOff: { how: "reset", afterEvents: 3 } } };
}
