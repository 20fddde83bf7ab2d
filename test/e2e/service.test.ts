import { LLMock } from "@copilotkit/aimock";
import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { refusal, reply, text, thinking, toolUse, type ApiRefusal, type ApiReply } from "../support/api-reply.ts";
import { lastResults, messagesOf, type WireBlock, type WireMessage } from "../support/request-messages.ts";
import { events, eventsOfType, runResult } from "../support/run-events.ts";
import { startScriptedApi } from "../support/scripted-api-server.ts";
import { agentUser } from "../support/spawn-agent.ts";

const QUICK = { "retry-after-ms": "1" };
const CUT = { afterEvents: 4 };

/** What a service may do instead of its work; each is made for two attempts. */
const FAILURES: readonly (readonly [what: string, answer: ApiReply | ApiRefusal, code: number, said: string])[] = [
  ["400", refusal(400, "invalid_request_error", "messages: is wrong"), 1, "messages: is wrong"],
  ["401", refusal(401, "authentication_error", "invalid x-api-key"), 9, "invalid x-api-key"],
  ["402", refusal(402, "billing_error", "credit balance is too low"), 1, "credit balance is too low"],
  ["403", refusal(403, "permission_error", "not for you"), 9, "not for you"],
  ["404", refusal(404, "not_found_error", "model: claude-none"), 1, "model: claude-none"],
  ["413", refusal(413, "request_too_large", "Request exceeds the maximum size"), 10, "Request exceeds the maximum size"],
  ["a prompt that is too long", refusal(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"), 10, "prompt is too long"],
  ["429", refusal(429, "rate_limit_error", "slow down", QUICK), 10, "slow down"],
  ["500", refusal(500, "api_error", "broken", QUICK), 10, "broken"],
  ["529", refusal(529, "overloaded_error", "Overloaded", QUICK), 10, "Overloaded"],
  ["a proxy's page", { status: 502, body: "<html>Bad Gateway</html>", headers: { "content-type": "text/html", ...QUICK } }, 10, "502"],
  ["a page instead of a stream", { status: 200, body: "<html>Sign in</html>", headers: { "content-type": "text/html" } }, 1, "text/html"],
  ["a redirect", { status: 302, body: "", headers: { location: "http://127.0.0.1:9/" } }, 1, "302"],
  ["garbage in the stream", { ...reply(text("hello")), editEvents: (all) => all.map((event, index) => (index === 3 ? { ...event, data: "{{{" } : event)) }, 10, "Cannot read the reply"],
  ["a stream that ends too early", { ...reply(text("half of it")), fault: { ...CUT, kind: "end" } }, 10, "before it was complete"],
  ["a connection that breaks", { ...reply(text("half of it")), fault: { ...CUT, kind: "reset" } }, 10, "Cannot reach"],
  ["an error within the stream", { ...reply(text("half of it")), fault: { ...CUT, kind: { type: "overloaded_error", message: "Overloaded" } } }, 10, "Overloaded"],
  ["a refusal of the model", { ...reply(text("I cannot")), stopReason: "refusal" }, 1, "The model refused"],
  ["a reply that is too long", { ...reply(text("and so on")), stopReason: "max_tokens" }, 1, "output limit"],
];

describe.concurrent("a request that fails is a failure in every format (A32)", () => {
  test.each(FAILURES)("%s", async (_what, answer, code, said) => {
    for (const format of ["text", "json", "stream-json"]) {
      using user = agentUser();
      await using api = startScriptedApi({ turns: () => answer });
      const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "secret-key-1", AGENT_API_ATTEMPTS: "2" };
      const ended = await user.run(["run", "--output-format", format, "go"], { env });
      expect(ended.exitCode).toBe(code);
      expect(ended.stderr).toContain(said);
      expect(ended.stdout + ended.stderr).not.toContain("secret-key-1");
      if (format === "text") expect(ended.stdout).toBe("");
      else expect(runResult(ended.stdout)).toMatchObject({ status: "failed", exit: { code }, error: { message: expect.stringContaining(said) } });
      if (format === "stream-json") expect(furtherRequests(ended.stdout)).toBe(api.requests.length - 1);
    }
  });

  test("nobody there", async () => {
    using user = agentUser();
    const ended = await user.run(["run", "go"], { env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:9", AGENT_API_ATTEMPTS: "1" } });
    expect(ended).toMatchObject({ stdout: "", exitCode: 10, stderr: expect.stringContaining("127.0.0.1:9") });
  });

  test("a failure after work that was done keeps what was said, and says that it failed", async () => {
    using user = agentUser();
    await using api = startScriptedApi({ turns: [reply(text("I looked"), toolUse("Bash", { command: "pwd" })), refusal(400, "invalid_request_error", "no more")] });
    const ended = await user.run(["run", "--output-format", "json", "go"], { env: { ANTHROPIC_BASE_URL: api.url } });
    expect(runResult(ended.stdout)).toMatchObject({ status: "failed", result: "I looked", num_turns: 2, error: { message: expect.stringContaining("no more"), request_id: "req_2" } });
  });
});

test("what fails and then works is a success, and the attempts are seen", async () => {
  using user = agentUser();
  const cut: ApiReply = { ...reply(text("half of it")), fault: { ...CUT, kind: "end" } };
  await using api = startScriptedApi({ turns: [refusal(529, "overloaded_error", "Overloaded", QUICK), cut, reply(text("all of it"))] });
  const ended = await user.run(["run", "--output-format", "stream-json", "go"], { env: { ANTHROPIC_BASE_URL: api.url } });
  const all = events(ended.stdout);
  expect(eventsOfType(all, "api.retry")).toMatchObject([{ attempt: 1, delay_ms: 1 }, { attempt: 2 }]);
  expect(eventsOfType(all, "message.completed").map((event) => event.content)).toEqual([[{ type: "text", text: "all of it" }]]);
  expect(all.at(-1)).toMatchObject({ status: "completed", result: "all of it", num_turns: 1 });
  expect(ended.stderr.match(/Request failed/g)).toHaveLength(2);
});

describe("the requests of a conversation", () => {
  test("keep their beginning byte for byte, and mark it for the service's cache", async () => {
    using user = agentUser();
    const calls = (turn: number) => reply(thinking("hm", `signature-${turn}`), text(`turn ${turn}`), toolUse("Bash", { command: "pwd" }, `toolu_a${turn}`), toolUse("Read", { file_path: "none" }, `toolu_b${turn}`));
    await using api = startScriptedApi({ turns: [calls(1), calls(2), calls(3), reply(text("done"))] });
    expect((await user.run(["run", "--append-system-prompt", "Be brief.", "go"], { env: { ANTHROPIC_BASE_URL: api.url } })).exitCode).toBe(0);
    expect(api.requests).toHaveLength(4);
    const bodies = api.requests.map((request) => request.body as unknown as WireRequest);
    for (const [index, body] of bodies.entries()) {
      expect(JSON.stringify([body.tools, body.system])).toBe(JSON.stringify([bodies[0]?.tools, bodies[0]?.system]));
      const before = bodies[index - 1]?.messages ?? [];
      expect(unmarked(body.messages.slice(0, before.length))).toEqual(unmarked(before));
      // One mark each: tools, system, where the last request ended, where this one ends.
      expect(markedPlaces(body)).toEqual(["tools 12", `system ${body.system.length - 1}`, ...(index === 0 ? [] : [`message ${body.messages.length - 3}`]), `message ${body.messages.length - 1}`]);
    }
    expect(api.requests[0]?.headers).toMatchObject({ "anthropic-version": expect.any(String), "content-type": "application/json" });
  });

  test("go on with everything that the model has thought, unchanged", async () => {
    using user = agentUser();
    await using api = startScriptedApi({ turns: [reply(thinking("a \u{1f600} thought", "c2lnbmF0dXJl"), { type: "redacted_thinking", data: "b3BhcXVl" }, toolUse("Bash", { command: "pwd" })), reply(text("done"))] });
    await user.run(["run", "go"], { env: { ANTHROPIC_BASE_URL: api.url } });
    expect(messagesOf(api.requests[1])[1]?.content.slice(0, 2)).toEqual([
      { type: "thinking", thinking: "a \u{1f600} thought", signature: "c2lnbmF0dXJl" },
      { type: "redacted_thinking", data: "b3BhcXVl" },
    ]);
  });

  test("answer every call once and in order, whatever the calls were", async () => {
    using user = agentUser();
    const odd = reply(
      toolUse("Nope", {}, "toolu_1"),
      toolUse("Bash", { command: 7 }, "toolu_2"),
      toolUse("Bash", { command: "rm x" }, "toolu_3"),
      toolUse("Bash", { command: "true" }, "toolu_4"),
      toolUse("Read", { file_path: "none" }, "toolu_5"),
      toolUse("Bash", { command: "sleep 0.1" }, "toolu_6"),
    );
    await using api = startScriptedApi({ turns: [odd, reply(text("done"))] });
    await user.run(["run", "go"], { env: { ANTHROPIC_BASE_URL: api.url } });
    const results = lastResults(api.requests[1]);
    expect(results.map(({ id, isError }) => [id, isError])).toEqual([
      ["toolu_1", true],
      ["toolu_2", true],
      ["toolu_3", true],
      ["toolu_4", false],
      ["toolu_5", true],
      ["toolu_6", false],
    ]);
    expect(results[3]?.content).toBe("(no output)");
  });

  test.each([
    ["opus", "claude-opus-5-5"],
    ["a-model-of-its-own", "a-model-of-its-own"],
    ["fast", "my-fast-model"],
  ])("name the model that %s means", async (name, id) => {
    using user = agentUser();
    await using api = startScriptedApi({ turns: [reply(text("hi"))] });
    await user.run(["config", "set", "modelAliases.fast", "my-fast-model"]);
    const ended = await user.run(["run", "-m", name, "go"], { env: { ANTHROPIC_BASE_URL: api.url } });
    expect(ended.stdout).toBe("hi\n");
    expect(String(api.requests[0]?.body["model"])).toBe(id);
  });
});

test("the keys of the service do not reach a command, and its marks do", async () => {
  using user = agentUser();
  await using api = startScriptedApi({ turns: [reply(toolUse("Bash", { command: "env" })), reply(text("done"))] });
  const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "secret-key-1", ANTHROPIC_CUSTOM_HEADERS: "x-secret: 2", MINE: "kept" };
  await user.run(["run", "--permission-mode", "bypassPermissions", "go"], { env });
  const shown = lastResults(api.requests[1])[0]?.content;
  expect(shown).not.toMatch(/ANTHROPIC|secret/);
  expect(shown).toMatch(/^MINE=kept$/m);
  expect(shown).toMatch(/^AGENT=1$/m);
  expect(shown).toMatch(/^AGENT_TASK_ID=b[0-9a-z]{8}$/m);
  expect(shown).toMatch(/^AGENT_PARENT_TASK_ID=a[0-9a-z]{8}$/m);
  expect(shown).toMatch(/^AGENT_RUN_ID=[0-9a-f-]{36}$/m);
});

test("a server that others wrote is worked with from the first call to the last word", async () => {
  using user = agentUser();
  const mock = new LLMock({ port: 0 });
  await mock.start();
  try {
    writeFileSync(join(user.project, "greeting.txt"), "hello wrold\n");
    const call = (id: string, name: string, input: object) => ({ toolCalls: [{ id, name, arguments: JSON.stringify(input) }] });
    mock.onToolResult("toolu_3", { content: "The greeting is right now." });
    mock.onToolResult("toolu_2", call("toolu_3", "Bash", { command: "cat greeting.txt" }));
    mock.onToolResult("toolu_1", call("toolu_2", "Edit", { file_path: "greeting.txt", old_string: "wrold", new_string: "world" }));
    mock.onMessage("fix the greeting", call("toolu_1", "Read", { file_path: "greeting.txt" }));
    const ended = await user.run(["run", "--permission-mode", "acceptEdits", "fix the greeting"], { env: { ANTHROPIC_BASE_URL: mock.url } });
    expect(ended).toMatchObject({ stdout: "The greeting is right now.\n", stderr: "", exitCode: 0 });
    expect(readFileSync(join(user.project, "greeting.txt"), "utf8")).toBe("hello world\n");
    expect(JSON.stringify(mock.getLastRequest()?.body)).toContain("hello world");
  } finally {
    await mock.stop();
  }
});

interface WireRequest {
  readonly tools: readonly WireBlock[];
  readonly system: readonly WireBlock[];
  readonly messages: readonly WireMessage[];
}

/** How often a request that did not come to what was asked was followed by another one. */
function furtherRequests(stdout: string): number {
  const all = events(stdout);
  // One that cannot be made shorter is not sent again.
  const logged = eventsOfType(all, "log").filter(({ message }) => /^Recovery \((?!compact)/.test(message));
  return eventsOfType(all, "api.retry").length + logged.length;
}

function markedPlaces({ tools, system, messages }: WireRequest): string[] {
  const isMarked = (block: WireBlock) => block["cache_control"] !== undefined;
  const places = (name: string, blocks: readonly WireBlock[]) => blocks.flatMap((block, index) => (isMarked(block) ? [`${name} ${index}`] : []));
  return [...places("tools", tools), ...places("system", system), ...messages.flatMap(({ content }, index) => content.filter(isMarked).map(() => `message ${index}`))];
}

function unmarked(messages: readonly WireMessage[]) {
  return messages.map(({ role, content }) => ({ role, content: content.map(({ cache_control: _mark, ...block }) => block) }));
}
