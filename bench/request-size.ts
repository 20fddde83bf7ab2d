import { startScriptedApi } from "../test/support/scripted-api-server.ts";
import { reply, text } from "../test/support/api-reply.ts";
import { measure } from "./measure.ts";
import type { Measurement } from "./measurement.ts";

/** How many bytes of every request are ours: the system prompt and the tools. */
export const requestSize: Measurement = async ({ programs, directory }) => {
  await using api = startScriptedApi({ turns: () => reply(text("hi")) });
  await measure([programs.agent, "run", "hi"], { env: { AGENT_STATE_DIR: directory, ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "bench" } });
  const body = api.requests[0]?.body;
  const bytes = Buffer.byteLength(JSON.stringify(body?.["system"])) + Buffer.byteLength(JSON.stringify(body?.["tools"]));
  return [{ what: "bytes of system and tools", value: bytes, atMost: 15_000, digits: 0 }];
};
