import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reply, text, toolUse } from "../support/api-reply.ts";
import { startScriptedApi, type ApiRequest } from "../support/scripted-api-server.ts";
import { killHard } from "../support/processes.ts";
import { agentUser, type AgentUser } from "../support/spawn-agent.ts";
import { waitFor } from "../support/wait-for.ts";

const service = (api: { readonly url: string }) => ({ ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "test-key", AGENT_API_ATTEMPTS: "1" });
const messagesOf = (request: ApiRequest | undefined) => JSON.stringify(request?.body["messages"] ?? []);

async function rootOf(user: AgentUser): Promise<{ id: string; pid: number }> {
  const tasks = JSON.parse((await user.run(["ps", "-a", "--json"])).stdout) as { id: string; type: string }[];
  const id = tasks.find((task) => task.type === "local_agent")?.id ?? "";
  const [record] = JSON.parse((await user.run(["inspect", id])).stdout) as { run: { pid: number } }[];
  return { id, pid: record?.run.pid ?? 0 };
}

describe("a conversation that is gone on with", () => {
  test("keeps its system prompt, its tools and everything that was said, byte for byte, as the same task's next attempt", async () => {
    using user = agentUser();
    await using api = startScriptedApi({ turns: [reply(toolUse("Bash", { command: "pwd" })), reply(text("first")), reply(text("second"))] });
    await user.run(["run", "remember this"], { env: service(api) });
    const { id } = await rootOf(user);
    const resumed = await user.run(["run", "-r", id, "--output-format", "stream-json", "and then?"], { env: service(api) });
    expect(resumed.exitCode).toBe(0);
    const [, before, after] = api.requests;
    for (const part of ["system", "tools"]) expect(JSON.stringify(after?.body[part])).toBe(JSON.stringify(before?.body[part]));
    const plain = (request: ApiRequest | undefined) => messagesOf(request).replaceAll(',"cache_control":{"type":"ephemeral"}', "");
    expect(plain(after).startsWith(plain(before).slice(0, -1))).toBe(true);
    expect(resumed.stdout).toContain('"type":"task.resumed"');
    const [record] = JSON.parse((await user.run(["inspect", id])).stdout) as { attempt: number }[];
    expect(record?.attempt).toBe(2);
  });

  test("with --continue is the latest of the directory", async () => {
    using user = agentUser();
    const script = user.script([{ reply: [{ text: "one" }] }, { reply: [{ text: "two" }] }]);
    expect((await user.run(["run", "-c", "-m", script, "x"])).exitCode).toBe(7);
    await user.run(["run", "-m", script, "x"]);
    expect((await user.run(["run", "-c", "y"])).stdout).toBe("two\n");
    expect((await user.run(["run", "-c", "y"], { cwd: user.home })).exitCode).toBe(7);
  });

  test("is refused while it is going on, and for a command", async () => {
    using user = agentUser();
    const script = user.script([{ reply: [{ tool: "Bash", input: { command: "sleep 60" } }] }]);
    const id = (await user.run(["run", "-d", "-m", script, "x"])).stdout.trim();
    expect((await user.run(["run", "-r", id, "y"])).exitCode).toBe(8);
    const shell = (await user.run(["run", "-d", "--exec", "--", "true"])).stdout.trim();
    expect((await user.run(["run", "-r", shell, "y"])).exitCode).toBe(2);
    await user.run(["stop", id]);
  });

  test("after kill -9 in the middle of a call is told that its outcome is unknown, and the call is not made again", async () => {
    using user = agentUser();
    await using api = startScriptedApi({
      turns: [
        reply(
          toolUse("Bash", { command: "echo one >>log" }, "toolu_1"),
          toolUse("Bash", { command: "echo two >>log; sleep 60" }, "toolu_2"),
          toolUse("Bash", { command: "echo three >>log" }, "toolu_3"),
        ),
        reply(text("recovered")),
      ],
    });
    const options = { env: service(api) };
    const id = (await user.run(["run", "-d", "--permission-mode", "bypassPermissions", "go"], options)).stdout.trim();
    const log = () => readFileSync(join(user.project, "log"), { encoding: "utf8", flag: "a+" });
    await waitFor(() => log().includes("two"));
    await killHard((await rootOf(user)).pid);
    const resumed = await user.run(["run", "-r", id, "what happened?"], options);
    expect([resumed.exitCode, resumed.stdout]).toEqual([0, "recovered\n"]);
    expect(log()).toBe("one\ntwo\n");
    const last = ((api.requests[1]?.body["messages"] ?? []) as { content: { type: string; tool_use_id?: string; content?: string; text?: string }[] }[]).at(-1);
    expect(last?.content.map((block) => [block.tool_use_id ?? block.type, (block.content ?? block.text ?? "").split(":", 1)[0]])).toEqual([
      ["toolu_1", "(no output)"],
      ["toolu_2", "Unknown outcome"],
      ["toolu_3", "Not run"],
      ["text", "what happened?"],
    ]);
  });

  test("goes on with what the user allowed and denied for it", async () => {
    using user = agentUser();
    writeFileSync(join(user.project, "a"), "");
    const script = user.script([
      { reply: [{ text: "one" }] },
      { reply: [{ tool: "Bash", input: { command: "touch b" } }, { tool: "Bash", input: { command: "rm a" } }] },
      { reply: [{ text: "two" }] },
    ]);
    await user.run(["run", "-m", script, "--allow", "Bash(touch:*)", "--deny", "Bash(rm:*)", "x"]);
    await user.run(["run", "-c", "--permission-mode", "bypassPermissions", "y"]);
    expect((await Array.fromAsync(new Bun.Glob("*").scan(user.project))).toSorted()).toEqual(["a", "b"]);
  });
});

describe("what ends in the background", () => {
  test("is told to the model once, at the next turn, and again in no later run", async () => {
    using user = agentUser();
    await using api = startScriptedApi({
      turns: [
        reply(toolUse("Bash", { command: "exit 3", run_in_background: true }, "toolu_1")),
        reply(toolUse("Bash", { command: "sleep 0.3" }, "toolu_2")),
        reply(text("seen")),
        reply(text("again")),
      ],
    });
    const options = { env: service(api) };
    await user.run(["run", "--permission-mode", "bypassPermissions", "go"], options);
    await user.run(["run", "-c", "more"], options);
    const count = (index: number) => messagesOf(api.requests[index]).split("<task-notification>").length - 1;
    expect([count(2), count(3)]).toEqual([1, 1]);
    expect(messagesOf(api.requests[2])).toContain("failed: Exit code 3");
  });

  test("while nobody is there to be told is told when the conversation goes on", async () => {
    using user = agentUser();
    await using api = startScriptedApi({
      turns: [
        reply(toolUse("Bash", { command: "sleep 60", run_in_background: true }, "toolu_1"), toolUse("Bash", { command: "sleep 61" }, "toolu_2")),
        reply(text("told")),
      ],
    });
    const options = { env: service(api) };
    const id = (await user.run(["run", "-d", "--permission-mode", "bypassPermissions", "go"], options)).stdout.trim();
    await waitFor(async () => (await user.run(["ps", "-a", "--json"])).stdout.includes("sleep 61"));
    await killHard((await rootOf(user)).pid);
    await user.run(["ps"]);
    await user.run(["run", "-r", id, "go on"], options);
    expect(messagesOf(api.requests[1]).split("<task-notification>")).toHaveLength(2);
    expect(messagesOf(api.requests[1])).toContain("sleep 60");
  });

  test("and still runs at the end is named to the model in one extra turn, then ended and listed", async () => {
    using user = agentUser();
    const script = user.script([
      { reply: [{ tool: "Bash", input: { command: "sleep 60", run_in_background: true } }] },
      { reply: [{ text: "first end" }] },
      { expect: { prompt: "These background shells still run" }, reply: [{ text: "second end" }] },
    ]);
    const ended = await user.run(["run", "-m", script, "--permission-mode", "bypassPermissions", "--output-format", "json", "go"]);
    expect(JSON.parse(ended.stdout)).toMatchObject({ exit: { code: 0 }, result: "second end", children: [{ type: "local_bash", status: "killed", required: false }] });
  });

  test("is ended at once with --background-policy kill", async () => {
    using user = agentUser();
    const script = user.script([{ reply: [{ tool: "Bash", input: { command: "sleep 60", run_in_background: true } }] }, { reply: [{ text: "end" }] }]);
    const ended = await user.run(["run", "-m", script, "--permission-mode", "bypassPermissions", "--background-policy", "kill", "go"]);
    expect([ended.exitCode, ended.stdout]).toEqual([0, "end\n"]);
  });
});

test("an ephemeral run leaves nothing on disk", async () => {
  using user = agentUser();
  const script = user.script([{ reply: [{ tool: "Bash", input: { command: "echo hi" } }] }, { reply: [{ text: "done" }] }]);
  const options = { env: { TMPDIR: user.home } };
  const before = await Array.fromAsync(new Bun.Glob("**").scan({ cwd: user.home, dot: true, onlyFiles: false }));
  const ended = await user.run(["run", "--ephemeral", "--permission-mode", "bypassPermissions", "-m", script, "go"], options);
  expect([ended.exitCode, ended.stdout]).toEqual([0, "done\n"]);
  expect(await Array.fromAsync(new Bun.Glob("**").scan({ cwd: user.home, dot: true, onlyFiles: false }))).toEqual(before);
  expect((await user.run(["run", "--ephemeral", "-d", "-m", script, "go"], options)).exitCode).toBe(2);
});
