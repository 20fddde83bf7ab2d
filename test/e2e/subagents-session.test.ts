import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { agentCall, bash, gate, notices, noticesOnRecord, sendMessage, service, startRoles, taskRows, told, type Said } from "../support/agent-roles.ts";
import { reply, text } from "../support/api-reply.ts";
import { runResult } from "../support/run-events.ts";
import { agentUser, type AgentUser } from "../support/spawn-agent.ts";
import { waitFor } from "../support/wait-for.ts";

const REPEATS = 3;
const DELAY_MAX_MS = 12;
/** Whose end a notice tells of. */
const SUBJECT = /<summary>Agent (?:"|&quot;)(\w+)/;
const REPORT = "Scope: a part\nResult: found\nFiles: none\nIssues: none";

/** Agents that are nested, parallel, named, failing, stopped and woken, with replies that come in any order. */
for (const hasForks of [false, true]) {
  test(`a session with agents of every fate ends the same whatever comes first${hasForks ? ", forks among them" : ""}`, async () => {
    const outcomes = [];
    for (let repeat = 0; repeat < REPEATS; repeat++) outcomes.push(await runSession(hasForks));
    const [first, ...others] = outcomes;
    for (const other of others) expect(other).toEqual(first as never);
    expect(first?.ended).toEqual({
      NAMED: [2, "completed"],
      FAILING: [1, "failed"],
      NESTING: [1, "completed"],
      NESTED: [1, "completed"],
      STOPPED: [1, "killed"],
      LEFT: [1, "completed"],
      RIGHT: [1, "completed"],
    });
    const due = hasForks ? ["FAILING 1", "LEFT 1", "NAMED 1", "NAMED 2", "NESTED 1", "NESTING 1", "RIGHT 1", "STOPPED 1"] : ["NAMED 1", "NAMED 2", "NESTED 1", "STOPPED 1"];
    expect(first?.onRecord).toEqual(due);
    expect(first?.heard).toEqual(due.map((each) => each.split(" ")[0] ?? ""));
  });
}

async function runSession(hasForks: boolean) {
  using user = agentUser();
  const [hangs, isHanging] = [gate(), gate()];
  const call = (role: string, more: Record<string, unknown> = {}) => agentCall(`${role} work`, { description: role, ...more });
  const typed = { subagent_type: "general-purpose" };
  const behind = { ...typed, run_in_background: true };
  const part = hasForks ? {} : typed;
  const root: Said = (request) => {
    if (told(request).includes("in the background. You are told when it ends.")) return reply(text("waiting for all of it"));
    if (notices(request).some((notice) => SUBJECT.exec(notice)?.[1] === "NAMED")) return reply(sendMessage("named", "once more"));
    return reply(text("waiting"));
  };
  await using api = startRoles(
    {
      ROOT: [reply(text("I begin."), call("NAMED", { ...behind, name: "named" }), call("STOPPED", behind), call("FAILING", typed), call("NESTING", typed), call("LEFT", part), call("RIGHT", part)), root],
      NAMED: [reply(text("named one")), bash("echo two"), reply(text("named two"))],
      STOPPED: [reply(text("half"), ...bash("true").blocks), async () => (isHanging.open(), await hangs.opened, reply(text("too late")))],
      FAILING: [bash("false"), { status: 400, type: "invalid_request_error", message: "not liked" }],
      NESTING: [reply(call("NESTED", behind)), (request) => reply(text(notices(request).length > 0 ? "nesting" : "waiting"))],
      NESTED: [bash("echo nested"), reply(text("nested"))],
      LEFT: [bash("echo left"), reply(text(REPORT))],
      RIGHT: [reply(text(REPORT))],
    },
    { beforeEach: () => Bun.sleep(Math.random() * DELAY_MAX_MS) },
  );
  const running = user.start(["run", "--output-format", "json", "--permission-mode", "bypassPermissions", "ROOT go"], { env: { ...service(api), AGENT_FORK_SUBAGENTS: hasForks ? "1" : "" } });
  await isHanging.opened;
  const stopped = await waitFor(async () => (await taskRows(user)).find(({ description }) => description === "STOPPED")?.id);
  expect((await user.run(["stop", stopped])).exitCode).toBe(0);
  const ended = await running.ended;
  hangs.open();
  expect([ended.exitCode, runResult(ended.stdout).children.every(({ status }) => status !== "running")]).toEqual([0, true]);
  return await outcomeOf(user);
}

async function outcomeOf(user: AgentUser) {
  const agents = (await taskRows(user)).filter(({ type, parentTaskId }) => type === "local_agent" && parentTaskId !== null);
  const nameOf = (id: string) => agents.find((agent) => agent.id === id)?.description ?? id;
  const details = await Promise.all(agents.map(async ({ id }) => (JSON.parse((await user.run(["inspect", id])).stdout) as { attempt: number; status: string }[])[0]));
  const transcripts = transcriptsOf(user, nameOf);
  return {
    ended: Object.fromEntries(agents.map(({ description }, index) => [description, [details[index]?.attempt, details[index]?.status]])),
    onRecord: noticesOnRecord(user).map(({ task_id: id, attempt }) => `${nameOf(id)} ${attempt}`).toSorted(),
    // Every notice stands in the transcript of whoever it was due to, and nowhere a second time.
    heard: Object.values(transcripts).flatMap(({ heard }) => heard).toSorted(),
    transcripts: Object.fromEntries(Object.entries(transcripts).filter(([name]) => name !== "ROOT").map(([name, { told: lines }]) => [name, lines])),
  };
}

/** What stands in each transcript, ids and paths aside. */
function transcriptsOf(user: AgentUser, nameOf: (id: string) => string) {
  const sessions = join(user.stateDirectory, "sessions");
  const [session = ""] = readdirSync(sessions);
  const directory = join(sessions, session, "subagents");
  const files = [["ROOT", join(sessions, session, "transcript.jsonl")], ...readdirSync(directory).map((file) => [nameOf(file.replace(/^agent-|\.jsonl$/g, "")), join(directory, file)])];
  return Object.fromEntries(files.map(([name = "", file = ""]) => [name, readTranscript(file)]));
}

function readTranscript(file: string) {
  const entries = readFileSync(file, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line) as { uuid: string; parentUuid: string | null; message?: { role: string; content: { type: string; text?: string }[] } });
  expect(entries.map(({ parentUuid }) => parentUuid)).toEqual([null, ...entries.slice(0, -1).map(({ uuid }) => uuid)]);
  const texts = entries.flatMap(({ message }) => (message?.role === "user" ? message.content.flatMap((block) => block.text ?? []) : []));
  return {
    heard: texts.flatMap((said) => (said.startsWith("<task-notification>") ? (SUBJECT.exec(said)?.[1] ?? "?") : [])),
    told: entries.flatMap(({ message }) => (message === undefined ? [] : [`${message.role} ${message.content.map((block) => block.type).join(" ")}`])),
  };
}
