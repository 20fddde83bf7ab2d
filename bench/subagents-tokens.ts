import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LoggedRequest } from "../test/support/messages-api/request-log.ts";
import { startMessagesApi } from "../test/support/messages-api/server.ts";
import { measure } from "./measure.ts";
import type { Measurement } from "./measurement.ts";
import { askerOf, calls, says, startsChildren } from "./subagents-script.ts";

const FILES = 20;
const FILE_BYTES = 6_000;

/** What a search through files costs the agent that wants to know, by itself and through an Explore agent. */
export const subagentTokens: Measurement = async ({ programs, directory, amount = FILES }) => {
  const alone = await search({ agent: programs.agent, directory: join(directory, "alone"), files: amount, delegates: false });
  const delegating = await search({ agent: programs.agent, directory: join(directory, "delegating"), files: amount, delegates: true });
  const [own, without] = [ofRoot(delegating), ofRoot(alone)];
  const all = total(delegating);
  const child = delegating.find((request) => askerOf(request).name !== "ROOT-0")?.body;
  const bytes = Buffer.byteLength(JSON.stringify(child?.["system"])) + Buffer.byteLength(JSON.stringify(child?.["tools"]));
  return [
    { what: `tokens of the root that lets an agent read ${amount} files / of one that reads them itself`, value: own.tokens / without.tokens, atMost: 1, note: `${own.tokens} and ${without.tokens} tokens in all requests, ${own.last} and ${without.last} in the last; the agent used ${all - own.tokens}` },
    { what: "bytes of system and tools of an Explore agent", value: bytes, atMost: 12_000, digits: 0 },
  ];
};

async function search(params: { readonly agent: string; readonly directory: string; readonly files: number; readonly delegates: boolean }): Promise<readonly LoggedRequest[]> {
  const { agent, directory, files, delegates } = params;
  const cwd = join(directory, "project");
  mkdirSync(cwd, { recursive: true });
  const paths = Array.from({ length: files }, (_, index) => join(cwd, `file-${index}.txt`));
  for (const [index, path] of paths.entries()) writeFileSync(path, `line of file ${index}\n`.repeat(FILE_BYTES / 16));
  await using api = startMessagesApi({
    script(request) {
      const { name, turn } = askerOf(request);
      if (name === "ROOT-0" && delegates) return turn === 0 ? calls(startsChildren(1, { subagent_type: "Explore" })) : says("it is in file 7");
      const path = paths[turn];
      return path === undefined ? says(`It is in ${paths[7]}, line 12. `.repeat(10)) : calls([{ type: "tool_use", name: "Read", input: { file_path: path } }]);
    },
  });
  const run = await measure([agent, "run", "--permission-mode", "bypassPermissions", "ROOT-0 go"], { env: { ...api.env(), AGENT_STATE_DIR: join(directory, "state") }, cwd });
  if (run.exitCode !== 0) throw new Error(`The run failed with ${run.exitCode}`);
  api.expectNoRefusals();
  return api.requests;
}

function ofRoot(requests: readonly LoggedRequest[]) {
  const own = requests.filter((request) => askerOf(request).name === "ROOT-0");
  return { tokens: total(own), last: total(own.slice(-1)) };
}

function total(requests: readonly LoggedRequest[]): number {
  const names = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens"];
  return requests.reduce((sum, { usage }) => names.reduce((each, name) => each + Number(usage?.[name]), sum), 0);
}
