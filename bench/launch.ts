import { startScriptedApi } from "../test/support/scripted-api-server.ts";
import { reply, text } from "../test/support/api-reply.ts";
import { compare, measure } from "./measure.ts";
import type { Measurement } from "./measurement.ts";

const PAIRS = 25;

/** How long `agent run -d` takes until it has printed an id with a durable record. */
export const launch: Measurement = async ({ programs, directory }) => {
  await using api = startScriptedApi({ turns: () => reply(text("hi")) });
  const env = { AGENT_STATE_DIR: directory, ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "bench" };
  const launchOne = async () => {
    const launched = await measure([programs.agent, "run", "-d", "hi"], { env });
    // The run itself would take the processor from whatever is measured next.
    await measure([programs.agent, "wait", launched.stdout.trim()], { env });
    return launched;
  };
  const started = await compare(launchOne, () => measure([programs.empty]), PAIRS);
  if (started.a.exitCode !== 0) throw new Error("The launch failed");
  return [{ what: "wall of run -d / empty", value: started.wallRatio, atMost: 6, note: `${started.a.wallMs.toFixed(1)} ms, empty ${started.b.wallMs.toFixed(1)} ms` }];
};
