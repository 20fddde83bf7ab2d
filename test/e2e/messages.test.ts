import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { reply, text, toolUse } from "../support/api-reply.ts";
import { startScriptedApi, type ApiRequest } from "../support/scripted-api-server.ts";
import { agentUser, type AgentUser } from "../support/spawn-agent.ts";
import { waitFor } from "../support/wait-for.ts";

const service = (api: { readonly url: string }) => ({ ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "test-key", AGENT_API_ATTEMPTS: "1" });

/** The texts of the user in the latest message of a request. */
function lastTexts(request: ApiRequest | undefined): string[] {
  const messages = (request?.body["messages"] ?? []) as { content: { type: string; text?: string }[] }[];
  return (messages.at(-1)?.content ?? []).flatMap((block) => (block.type === "text" ? [block.text ?? ""] : []));
}

async function recordOf(user: AgentUser, id: string): Promise<{ attempt: number; status: string; transcriptPath: string; exit: { reason: string } | null }> {
  return (JSON.parse((await user.run(["inspect", id])).stdout) as never[])[0] ?? (undefined as never);
}

async function texts(user: AgentUser, id: string): Promise<string[]> {
  const lines = readFileSync((await recordOf(user, id)).transcriptPath, "utf8").trimEnd().split("\n");
  const entries = lines.map((line) => JSON.parse(line) as { type: string; message?: { content: { type: string; text?: string }[] } });
  return entries.flatMap(({ type, message }) => (type === "user" ? (message?.content ?? []) : [])).flatMap((block) => (block.type === "text" ? [block.text ?? ""] : []));
}

/** What waits on record to come into a conversation. */
function readPending(user: AgentUser): unknown[] {
  const database = new Database(join(user.stateDirectory, "ledger.db"), { readonly: true });
  try {
    return database.query("SELECT message_id FROM messages").all();
  } finally {
    database.close();
  }
}

describe("a message to a running agent", () => {
  test("comes with the results of the call that was running, once, and its delivery is an event", async () => {
    using user = agentUser();
    await using api = startScriptedApi({ turns: [reply(toolUse("Bash", { command: "until [ -e go ]; do sleep 0.02; done" })), reply(text("done"))] });
    const id = (await user.run(["run", "-d", "--permission-mode", "bypassPermissions", "start"], { env: service(api) })).stdout.trim();
    await waitFor(() => api.requests.length === 1);
    const sent = await user.run(["send", "-v", id, "also run the linter"]);
    expect([sent.exitCode, sent.stderr]).toEqual([0, ""]);
    expect((await user.run(["send", "--from", "ci", id, "-"], { stdin: "the build is red\n" })).stdout).toBe("");
    await user.shell("touch go");
    expect(await user.run(["wait", id])).toMatchObject({ exitCode: 0, stdout: "done\n" });
    expect(lastTexts(api.requests[1])).toEqual(["also run the linter", '<message from="ci">\nthe build is red\n</message>']);
    const delivered = (await user.run(["events", "--types", "message.delivered", id])).stdout.trimEnd().split("\n").map((line) => JSON.parse(line) as { message_id: string });
    expect(delivered).toHaveLength(2);
    expect(delivered[0]?.message_id).toBe(sent.stdout.trim());
  });

  test("while it says its last words starts another turn, and --wait waits for the end (A46)", async () => {
    using user = agentUser();
    const answering = Promise.withResolvers<void>();
    await using api = startScriptedApi({
      turns: [
        async () => {
          await answering.promise;
          return reply(text("first end"));
        },
        reply(text("second end")),
      ],
    });
    const id = (await user.run(["run", "-d", "start"], { env: service(api) })).stdout.trim();
    await waitFor(() => api.requests.length === 1);
    const sending = user.run(["send", "--wait", id, "one more thing"]);
    await waitFor(async () => (await user.run(["wait", "--timeout", "10ms", id])).exitCode === 124 && readPending(user).length === 1);
    answering.resolve();
    expect(await sending).toEqual({ exitCode: 0, signal: null, stdout: "second end\n", stderr: "" });
    expect(await recordOf(user, id)).toMatchObject({ attempt: 1, status: "completed" });
  });
});

describe("a message to an agent that has ended", () => {
  test("wakes it in the background with the settings of its latest run, and is all that is said (S-118)", async () => {
    using user = agentUser();
    const script = user.script([
      { reply: [{ text: "one" }] },
      { expect: { prompt: "what else" }, reply: [{ tool: "Bash", input: { command: "pwd > where" } }] },
      { reply: [{ text: "two" }] },
    ]);
    await user.run(["run", "-n", "nightly", "-m", script, "--permission-mode", "bypassPermissions", "start"]);
    const sent = await user.run(["send", "nightly", "what else?"], { cwd: user.home, env: { AGENT_MODEL: "scripted:none", AGENT_PERMISSION_MODE: "plan" } });
    expect(sent).toEqual({ exitCode: 0, signal: null, stdout: "", stderr: "" });
    expect(await user.run(["wait", "nightly"])).toMatchObject({ exitCode: 0, stdout: "two\n" });
    expect(readFileSync(`${user.project}/where`, "utf8")).toBe(`${user.project}\n`);
    expect(await texts(user, "nightly")).toEqual(["start", "what else?"]);
    expect(await recordOf(user, "nightly")).toMatchObject({ attempt: 2, status: "completed" });
  });

  test("with --wait exits as the agent does", async () => {
    using user = agentUser();
    const script = user.script([{ reply: [{ text: "one" }] }]);
    await user.run(["run", "-n", "nightly", "-m", script, "start"]);
    const sent = await user.run(["send", "--wait", "nightly", "more than the script has"]);
    expect([sent.exitCode, sent.stdout]).toEqual([1, ""]);
    expect(sent.stderr).toContain('failed: Cannot answer as');
  });

  test("reaches it exactly once, however many come at the same time", async () => {
    using user = agentUser();
    const script = user.script([{ reply: [{ text: "ok" }] }], { repeatLast: true });
    await user.run(["run", "-n", "nightly", "-m", script, "start"]);
    const words = Array.from({ length: 24 }, (_, index) => `message ${index}`);
    for (const group of [words.slice(0, 8), words.slice(8, 16), words.slice(16)]) {
      const outcomes = await Promise.all(group.map((message) => user.run(["send", "nightly", message])));
      expect(outcomes.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual(group.map(() => [0, ""]));
    }
    await waitFor(async () => readPending(user).length === 0);
    await user.run(["wait", "nightly"]);
    expect((await texts(user, "nightly")).toSorted()).toEqual([...words, "start"].toSorted());
  });
});

describe("interrupt", () => {
  test("ends the turn and keeps the agent, which goes on with the next message", async () => {
    using user = agentUser();
    await using api = startScriptedApi({ turns: [reply(toolUse("Bash", { command: "sleep 300" })), reply(text("the other way"))] });
    const id = (await user.run(["run", "-d", "--permission-mode", "bypassPermissions", "start"], { env: service(api) })).stdout.trim();
    await waitFor(async () => (await user.run(["ps", "-a", "--json"])).stdout.includes("sleep 300"));
    expect(await user.run(["interrupt", id])).toEqual({ exitCode: 0, signal: null, stdout: "", stderr: "" });
    expect((await recordOf(user, id)).status).toBe("running");
    const sent = await user.run(["send", "--wait", id, "do it the other way"]);
    expect([sent.exitCode, sent.stdout]).toEqual([0, "the other way\n"]);
    expect(lastTexts(api.requests[1])).toEqual(["do it the other way"]);
    expect((await user.run(["interrupt", id])).exitCode).toBe(8);
  });
});

describe("resume", () => {
  test("is run --resume, with its flags", async () => {
    using user = agentUser();
    const script = user.script([{ reply: [{ text: "one" }] }, { expect: { prompt: "Continue where you left off." }, reply: [{ text: "two" }] }, { reply: [{ text: "three" }] }]);
    await user.run(["run", "-n", "nightly", "-m", script, "start"]);
    expect(await user.run(["resume", "nightly"])).toMatchObject({ exitCode: 0, stdout: "two\n" });
    const launched = await user.run(["resume", "-d", "-q", "--output-format", "json", "nightly", "go on"]);
    const { task_id: id } = JSON.parse(launched.stdout) as { task_id: string };
    expect(await user.run(["wait", id])).toMatchObject({ exitCode: 0, stdout: "three\n" });
    expect(await recordOf(user, "nightly")).toMatchObject({ attempt: 3 });
    expect(await texts(user, "nightly")).toEqual(["start", "Continue where you left off.", "go on"]);
  });

  test("of a running agent is 8 and of a command 2, in the format that was asked for", async () => {
    using user = agentUser();
    const script = user.script([{ reply: [{ tool: "Bash", input: { command: "sleep 60" } }] }]);
    const id = (await user.run(["run", "-d", "--permission-mode", "bypassPermissions", "-m", script, "start"])).stdout.trim();
    const refused = await user.run(["resume", id, "go on"], { env: { AGENT_OUTPUT_FORMAT: "json" } });
    expect([refused.exitCode, JSON.parse(refused.stdout)]).toMatchObject([8, { type: "error", error: { code: "task_running" } }]);
    const shell = (await user.run(["run", "-d", "--exec", "--", "true"])).stdout.trim();
    expect((await user.run(["resume", shell])).exitCode).toBe(2);
    expect(await user.run(["resume", id, "two", "words"])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("put the prompt in quotes") });
    await user.run(["stop", "--all"]);
  });
});
