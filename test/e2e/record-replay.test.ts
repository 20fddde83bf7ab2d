import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cassetteLineSchema } from "../../src/core/cassette-schema.ts";
import type { RunEvent } from "../../src/core/stream-event.ts";
import type { Answer } from "../support/messages-api/answer.ts";
import { startMessagesApi } from "../support/messages-api/server.ts";
import { events, eventsOfType, runResult } from "../support/run-events.ts";
import { agentUser, type AgentUser, type StartOptions } from "../support/spawn-agent.ts";
import { waitFor } from "../support/wait-for.ts";

const KEY = "the-key-of-this-user";
const PASSWORD = "correct horse";
const SHAPED = `sk-ant-${"a1B2".repeat(8)}`;
const FLAGS = ["-m", "claude-test", "--permission-mode", "acceptEdits", "--allow", "Bash(echo:*)", "--allow", "Bash(cat:*)", "--allow", "Bash(sleep:*)", "--output-format", "stream-json"];
const PROMPT = "Mend the file";

const use = (name: string, input: object) => ({ type: "tool_use", name, input }) as const;
const say = (text: string) => ({ type: "text", text }) as const;

/** A session with everything that a recording has to hold. */
const SESSION: readonly Answer[] = [
  { status: 529, type: "overloaded_error", message: "busy" },
  { content: [say("I look."), use("Read", { file_path: "a.txt" }), use("Read", { file_path: "b.txt" }), use("Bash", { command: "cat secret.txt" })] },
  { content: [say(`I mend it with ${KEY}.`), use("Edit", { file_path: "a.txt", old_string: "one", new_string: "two" }), use("Bash", { command: "echo built", run_in_background: true }), use("Bash", { command: "curl example.com" })] },
  { content: [use("Bash", { command: "sleep 0.6" })] },
  { content: [say("Mended.")] },
];

function makeProject(path: string): void {
  writeFileSync(join(path, "a.txt"), "one\n");
  writeFileSync(join(path, "b.txt"), "bee\n");
  writeFileSync(join(path, "secret.txt"), `${PASSWORD} ${SHAPED}\n`);
  writeFileSync(join(path, "AGENTS.md"), "Use tabs.\n");
}

/** Records the session; the cassette is `t.cassette` in the user's home. */
async function recordSession(user: AgentUser): Promise<RunEvent[]> {
  makeProject(user.project);
  await using api = startMessagesApi({ script: SESSION });
  const env = { ...api.env(), ANTHROPIC_API_KEY: KEY, AGENT_REDACT_ENV: "PASSWORD", PASSWORD };
  const { stdout, exitCode } = await user.run(["run", ...FLAGS, "--record", "../home/t.cassette", PROMPT], { env });
  expect(exitCode).toBe(0);
  expect(readFileSync(join(user.project, "a.txt"), "utf8")).toBe("two\n");
  expect(eventsOfType(events(stdout), "task.notification")).toHaveLength(1);
  return events(stdout);
}

/** Replays where no program, no key and no network is, in another directory with the same files. */
async function replay(user: AgentUser, { name = "copy", prompt = PROMPT, flags = FLAGS, prepare = () => undefined }: { readonly name?: string; readonly prompt?: string; readonly flags?: readonly string[]; readonly prepare?: (path: string) => void } = {}) {
  const cwd = join(user.home, name);
  mkdirSync(cwd);
  makeProject(cwd);
  prepare(cwd);
  const result = await user.run(["run", ...flags, "--replay", join(user.home, "t.cassette"), prompt], { cwd, env: OFFLINE });
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("one\n");
  return result;
}

const OFFLINE: NonNullable<StartOptions["env"]> = { PATH: "", ANTHROPIC_BASE_URL: "http://127.0.0.1:9" };

/** What is the same in a replay: all but times, and ids and paths of the run. */
function comparable(all: readonly RunEvent[]): unknown[] {
  const [start] = all;
  const text = JSON.stringify(all.map(({ ts: _ts, run_id: _run, ...event }) => event), (name, value: unknown) => (/duration|_ms$/.test(name) && name !== "delay_ms" ? 0 : value));
  const withoutIds = text.replaceAll(start?.task_id ?? "", "ROOT");
  return (JSON.parse(withoutIds) as Record<string, unknown>[]).map((event) => {
    const { session_id: _session, cwd: _cwd, replay: _replay, output_file: _output, ...rest } = event;
    return rest;
  });
}

describe("a recorded run", () => {
  test("is replayed in another place without a model, a key or a program, with the same events", async () => {
    using user = agentUser();
    const recorded = await recordSession(user);
    const { stdout, exitCode } = await replay(user);
    expect(exitCode).toBe(0);
    const replayed = events(stdout);
    // The key was said aloud, and stands as a mark in the recording.
    const expected = JSON.parse(JSON.stringify(comparable(recorded)).replaceAll(KEY, "[redacted:ANTHROPIC_API_KEY]").replaceAll(PASSWORD, "[redacted:PASSWORD]").replaceAll(SHAPED, "[redacted:anthropic-key]")) as unknown[];
    expect(comparable(replayed)).toEqual(expected);
    expect(eventsOfType(replayed, "api.retry")).toHaveLength(1);
    expect(eventsOfType(replayed, "task.started").map(({ task_type }) => task_type)).toContain("local_bash");
    expect(eventsOfType(replayed, "run.started")[0]).toMatchObject({ replay: true });
    expect(eventsOfType(replayed, "permission.resolved")).toHaveLength(1);
  });

  test("is replayed in the background, and by the command line that README shows", async () => {
    using user = agentUser();
    await recordSession(user);
    const launched = await replay(user, { flags: [...FLAGS.slice(0, -2), "-d"] });
    expect(launched.exitCode).toBe(0);
    expect(await user.run(["wait", launched.stdout.trim()])).toMatchObject({ exitCode: 0, stdout: "Mended.\n" });
    const shown = await user.shell('agent run -m scripted:demo --record demo.cassette "say hi" && agent run -m scripted:demo --replay demo.cassette "say hi"');
    expect(shown.exitCode).toBe(0);
    const [first, second] = [shown.stdout.slice(0, shown.stdout.length / 2), shown.stdout.slice(shown.stdout.length / 2)];
    expect(first).toBe(second);
  });

  test("is a file for its user alone, of the published form, without secrets", async () => {
    using user = agentUser();
    await recordSession(user);
    const path = join(user.home, "t.cassette");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const text = readFileSync(path, "utf8");
    for (const secret of [KEY, PASSWORD, SHAPED]) expect(text).not.toContain(secret);
    const lines = text.trimEnd().split("\n").map((line) => cassetteLineSchema().parse(JSON.parse(line)));
    expect(lines[0]).toMatchObject({ v: 1, type: "cassette" });
    expect(lines.at(-1)).toMatchObject({ type: "end", reason: "ok" });
    const spoken = lines.flatMap((line) => (line.type === "reply" ? line.events : [])).map((event) => (event.type === "block_delta" && event.delta.type === "text_delta" ? event.delta.text : ""));
    expect(spoken.join("")).toContain("I mend it with [redacted:ANTHROPIC_API_KEY].");
  });
});

describe("a replay that differs ends with exit 15 and says where", () => {
  test.each<[string, Parameters<typeof replay>[1], string]>([
    ["another prompt", { prompt: "Mend the other file" }, 'messages[0].content[1].text: recorded "Mend the file", now "Mend the other file"'],
    ["other instructions of the project", { prepare: (path) => writeFileSync(join(path, "AGENTS.md"), "Use spaces.\n") }, "(the project instructions in AGENTS.md and CLAUDE.md): recorded"],
    ["another model", { flags: [...FLAGS, "-m", "claude-other"] }, 'model: recorded "claude-test", now "claude-other"'],
    ["another directory", { flags: [...FLAGS, "--add-dir", "/usr"] }, "Also yours to work in: /usr"],
  ])("%s", async (_what, options, difference) => {
    using user = agentUser();
    await recordSession(user);
    const { stdout, exitCode } = await replay(user, options);
    expect(exitCode).toBe(15);
    const { exit, error } = runResult(stdout);
    expect([exit.reason, error?.code]).toEqual(["replay_miss", "replay_miss"]);
    expect(error?.message).toContain('request 1 of agent "root" differs from the recording: ');
    expect(error?.message).toContain(difference);
  });

  test("a recording that a crash cut off is replayed as far as it goes", async () => {
    using user = agentUser();
    const cassette = join(user.project, "t.cassette");
    const model = user.script([{ reply: [{ tool: "Bash", input: { command: "echo hi" } }] }, { reply: [{ tool: "Bash", input: { command: "touch begun; sleep 60" } }] }]);
    const run = user.start(["run", "-m", model, "--permission-mode", "bypassPermissions", "--record", cassette, "go"]);
    await waitFor(() => existsSync(join(user.project, "begun")));
    process.kill(run.pid, "SIGKILL");
    await run.ended;
    const { stdout, exitCode } = await user.run(["run", "-m", model, "--replay", cassette, "--output-format", "stream-json", "go"], { env: OFFLINE });
    expect(exitCode).toBe(15);
    const replayed = events(stdout);
    expect(eventsOfType(replayed, "tool.completed").map(({ content }) => content)).toEqual(["hi"]);
    expect(runResult(stdout).error?.message).toContain('the recording ends before results of calls of agent "root", because the run that it is of broke off');
  });
});

describe("what came from outside", () => {
  test("comes again: a message, and an interruption", async () => {
    using user = agentUser();
    const cassette = join(user.home, "t.cassette");
    const model = user.script([
      { reply: [{ tool: "Bash", input: { command: "touch begun; until [ -e go ]; do sleep 0.02; done" } }] },
      { reply: [{ tool: "Bash", input: { command: "touch again; sleep 60" } }] },
      { reply: [{ text: "as you say" }] },
    ]);
    const flags = ["-m", model, "--permission-mode", "bypassPermissions"];
    const id = (await user.run(["run", "-d", ...flags, "--record", "../home/t.cassette", "go"])).stdout.trim();
    await waitFor(() => existsSync(join(user.project, "begun")));
    await user.run(["send", id, "also the linter"]);
    writeFileSync(join(user.project, "go"), "");
    await waitFor(() => existsSync(join(user.project, "again")));
    expect((await user.run(["interrupt", id])).exitCode).toBe(0);
    await user.run(["send", id, "never mind"]);
    expect(await user.run(["wait", id])).toMatchObject({ exitCode: 0, stdout: "as you say\n" });
    const recorded = events((await user.run(["events", id])).stdout);
    const again = (await user.run(["run", "-d", ...flags, "--replay", cassette, "go"], { env: OFFLINE })).stdout.trim();
    expect(await user.run(["wait", again])).toMatchObject({ exitCode: 0, stdout: "as you say\n" });
    const replayed = events((await user.run(["events", again])).stdout);
    expect(comparable(replayed)).toEqual(comparable(recorded));
    expect(eventsOfType(replayed, "message.delivered")).toHaveLength(2);
  });

  test("ends a replay as it ended the run", async () => {
    using user = agentUser();
    const model = user.script([{ reply: [{ tool: "Bash", input: { command: "touch begun; sleep 60" } }] }]);
    const flags = ["-m", model, "--permission-mode", "bypassPermissions", "--output-format", "stream-json"];
    const run = user.start(["run", ...flags, "--record", "t.cassette", "go"]);
    await waitFor(() => existsSync(join(user.project, "begun")));
    run.kill("SIGINT");
    const recorded = await run.ended;
    expect(recorded.exitCode).toBe(130);
    const replayed = await user.run(["run", ...flags, "--replay", "t.cassette", "go"], { env: OFFLINE });
    expect(replayed.exitCode).toBe(130);
    expect(comparable(events(replayed.stdout))).toEqual(comparable(events(recorded.stdout)));
  });

  test("an answer that fits a schema is there again, although no tool takes it", async () => {
    using user = agentUser();
    const model = user.script([{ reply: [{ tool: "SyntheticOutput", input: { n: 5 } }] }]);
    const flags = ["-m", model, "--json-schema", '{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}', "--output-format", "json"];
    const recorded = await user.run(["run", ...flags, "--record", "t.cassette", "go"]);
    const replayed = await user.run(["run", ...flags, "--replay", "t.cassette", "go"], { env: OFFLINE });
    expect([recorded.exitCode, replayed.exitCode]).toEqual([0, 0]);
    expect(runResult(replayed.stdout).structured_output).toEqual({ n: 5 });
  });
});

describe("before anything is spent", () => {
  test.each<[string, readonly string[], number, string]>([
    ["both flags", ["--record", "a", "--replay", "b", "hi"], 2, "give --record or --replay, not both"],
    ["a command", ["--record", "a", "--exec", "--", "true"], 2, "leave out --exec"],
    ["a conversation that goes on", ["--replay", "t", "--continue", "hi"], 2, "leave out --replay"],
    ["a foreign file", ["--record", "notes.txt", "hi"], 2, "it holds something that is no cassette"],
    ["a link", ["--record", "link", "hi"], 2, "it is a link"],
    ["a missing folder", ["--record", "none/t", "hi"], 14, 'Cannot record to "'],
    ["no cassette", ["--replay", "notes.txt", "hi"], 2, "it is no cassette"],
    ["a cassette of later", ["--replay", "later", "hi"], 2, "it is of version 2, and this build reads version 1"],
    ["a damaged cassette", ["--replay", "damaged", "hi"], 2, "line 2 is damaged"],
    ["a missing cassette", ["--replay", "none", "hi"], 2, 'Cannot replay "'],
  ])("%s is refused", async (_what, args, exitCode, problem) => {
    using user = agentUser();
    const header = { v: 1, type: "cassette", ts: 1, program: "0", cwd: "/a", home: "/b", tmp: "/c" };
    writeFileSync(join(user.project, "notes.txt"), "mine\n");
    writeFileSync(join(user.project, "later"), `${JSON.stringify({ ...header, v: 2 })}\n`);
    writeFileSync(join(user.project, "damaged"), `${JSON.stringify(header)}\nnonsense\n`);
    symlinkSync("notes.txt", join(user.project, "link"));
    for (const background of args.includes("--exec") ? [[]] : [[], ["-d"]]) {
      const result = await user.run(["run", "-m", "scripted:demo", ...background, ...args]);
      expect({ stdout: result.stdout, exitCode: result.exitCode }).toEqual({ stdout: "", exitCode });
      expect(result.stderr).toContain(problem);
    }
    expect(readFileSync(join(user.project, "notes.txt"), "utf8")).toBe("mine\n");
  });

  test("a recording of a conversation that had begun before is refused", async () => {
    using user = agentUser();
    await user.run(["run", "-m", "scripted:demo", "hi"]);
    expect((await user.run(["run", "--continue", "--record", "t.cassette", "more"])).exitCode).toBe(0);
    const { exitCode, stderr } = await user.run(["run", "-m", "scripted:demo", "--replay", "t.cassette", "more"]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("its run went on with an earlier conversation, which is not in it");
  });
});
