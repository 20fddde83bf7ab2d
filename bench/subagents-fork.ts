import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LoggedRequest } from "../test/support/messages-api/request-log.ts";
import { startMessagesApi } from "../test/support/messages-api/server.ts";
import { measure } from "./measure.ts";
import type { BenchRow, Measurement } from "./measurement.ts";
import { askerOf, calls, recordsIn, says, startsChild, textsIn, type Asker } from "./subagents-script.ts";

/** Turns of the parent before it forks. */
const TURNS_BEFORE = 6;
const FORKS = 2;
const REPORT = "Scope: the file\nResult: read\nFiles: none\nIssues: none";

/**
 * How much of what a fork shares is not read from the prompt cache: of its parent's last prompt when it is started, of its
 * own last prompt when a message wakes it, in the same run and after a resume from disk.
 */
export const subagentFork: Measurement = async ({ programs, directory }) => {
  const cwd = join(directory, "project");
  mkdirSync(cwd, { recursive: true });
  writeFileSync(join(cwd, "notes.txt"), "what is to be read, and not a little of it\n".repeat(200));
  const reads = calls([{ type: "tool_use", name: "Read", input: { file_path: join(cwd, "notes.txt") } }]);
  const wakes = (name: string) => calls([{ type: "tool_use", name: "SendMessage", input: { to: "first", message: `${name} look again` } }]);
  await using api = startMessagesApi({
    script(request) {
      const { name, turn } = askerOf(request);
      if (name === "ROOT-1") return turn === 0 ? wakes("WAKE-1") : says("done");
      if (name !== "ROOT-0") return turn === 0 ? reads : says(REPORT);
      if (turn < TURNS_BEFORE) return reads;
      if (turn === TURNS_BEFORE) return calls([startsChild(0, { name: "first" }), startsChild(1)]);
      const { notices, sent } = heardBy(request);
      return notices === FORKS && sent === 0 ? wakes("WAKE-0") : says("go on");
    },
  });
  const env = { ...api.env(), AGENT_STATE_DIR: join(directory, "state"), AGENT_FORK_SUBAGENTS: "1" };
  const run = await measure([programs.agent, "run", "--output-format", "json", "--permission-mode", "bypassPermissions", "ROOT-0 go"], { env, cwd });
  const session = String(JSON.parse(run.stdout).session_id);
  const resumed = await measure([programs.agent, "resume", session, "--permission-mode", "bypassPermissions", "ROOT-1 go on"], { env, cwd });
  if (run.exitCode !== 0 || resumed.exitCode !== 0) throw new Error(`The runs ended with ${run.exitCode} and ${resumed.exitCode}`);
  api.expectNoRefusals();
  const at = (asker: Asker) => find(api.requests, asker);
  const parent = at({ name: "ROOT-0", turn: TURNS_BEFORE });
  return [
    unread("at its start", at({ name: "CHILD-0", turn: 0 }), parent),
    unread("at the start of a sibling", at({ name: "CHILD-1", turn: 0 }), parent),
    unread("after a message that wakes it", at({ name: "WAKE-0", turn: 0 }), at({ name: "CHILD-0", turn: 1 })),
    unread("after a resume and a message", at({ name: "WAKE-1", turn: 0 }), at({ name: "WAKE-0", turn: 1 })),
  ];
};

/** What the root has been told of, and how many messages it has sent. */
function heardBy({ body }: LoggedRequest) {
  const messages = recordsIn(body["messages"]);
  return {
    notices: messages.flatMap(textsIn).filter((text) => text.startsWith("<task-notification>")).length,
    sent: messages.flatMap(({ content }) => recordsIn(content)).filter(({ type, name }) => type === "tool_use" && name === "SendMessage").length,
  };
}

function find(requests: readonly LoggedRequest[], wanted: Asker): LoggedRequest {
  const found = requests.find((request) => {
    const { name, turn } = askerOf(request);
    return name === wanted.name && turn === wanted.turn;
  });
  if (found === undefined) throw new Error(`${wanted.name} has not asked for reply ${wanted.turn}`);
  return found;
}

function unread(when: string, { usage }: LoggedRequest, before: LoggedRequest): BenchRow {
  const read = Number(usage?.["cache_read_input_tokens"]);
  const shared = promptTokens(before);
  return { what: `percent of the shared prompt that a fork does not read from the cache ${when}`, value: Math.max(0, 1 - read / shared) * 100, atMost: 1, note: `${read} of ${shared} tokens` };
}

function promptTokens({ usage }: LoggedRequest): number {
  return ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"].reduce((sum, name) => sum + Number(usage?.[name]), 0);
}
