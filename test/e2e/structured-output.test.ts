import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startMessagesApi } from "../support/messages-api/server.ts";
import { events, eventsOfType, runResult } from "../support/run-events.ts";
import { agentUser } from "../support/spawn-agent.ts";
import { runInTerminal } from "../support/terminal.ts";

const SCHEMA = JSON.stringify({ type: "object", properties: { verdict: { enum: ["good", "bad"] }, notes: { type: "array", items: { type: "string" } } }, required: ["verdict"], additionalProperties: false });
const ANSWER = { verdict: "good", notes: ["größe 😀", "__proto__"] };
const LINE = `${JSON.stringify(ANSWER)}\n`;
const gives = (input: object, words = "so be it") => ({ reply: [{ text: words }, { tool: "SyntheticOutput", input }] });
const GOOD = [gives(ANSWER)];

describe("the answer is printed as JSON", () => {
  test("on one line in text format, with nothing that was said beside it", async () => {
    using user = agentUser();
    const ended = await user.run(["run", "-m", user.script(GOOD), "--json-schema", SCHEMA, "-o", "answer", "judge"]);
    expect(ended).toMatchObject({ stdout: LINE, stderr: "", exitCode: 0 });
    expect(readFileSync(join(user.project, "answer"), "utf8")).toBe(LINE);
  });

  test("also on a terminal", async () => {
    using user = agentUser();
    const script = `exec </dev/null\nagent run -q -m ${user.script(GOOD)} --json-schema '${SCHEMA}' judge`;
    const { shown, exitCode } = await runInTerminal(["bash", "-c", script], { cwd: user.project, env: { ...user.env, COLUMNS: "200" } });
    expect(shown).toContain('{"verdict":"good"');
    expect(shown).not.toContain("so be it");
    expect(exitCode).toBe(0);
  });

  test("by a pipe from a schema in a file to a program that reads it", async () => {
    using user = agentUser();
    writeFileSync(join(user.project, "review.json"), SCHEMA);
    const ended = await user.shell(`echo diff | agent run - -m ${user.script([{ expect: { prompt: "diff" }, ...GOOD[0] }])} --json-schema review.json --output-format json | jq -c .structured_output`);
    expect(ended).toMatchObject({ stdout: LINE, stderr: "" });
  });

  test("in the last event, after those of the call", async () => {
    using user = agentUser();
    const ended = await user.run(["run", "-m", user.script([gives({ verdict: "fine" }), gives(ANSWER)]), "--json-schema", SCHEMA, "--output-format", "stream-json", "judge"]);
    const all = events(ended.stdout);
    expect(eventsOfType(all, "run.started")[0]?.tools.at(-1)).toBe("SyntheticOutput");
    expect(eventsOfType(all, "tool.started").map(({ name, input }) => ({ name, input }))).toEqual([{ name: "SyntheticOutput", input: { verdict: "fine" } }, { name: "SyntheticOutput", input: ANSWER }]);
    const [refused, taken] = eventsOfType(all, "tool.completed");
    expect([refused?.is_error, taken?.is_error]).toEqual([true, false]);
    expect(refused?.content).toContain('- /verdict: must be one of ["good","bad"]');
    expect(runResult(ended.stdout)).toMatchObject({ exit: { code: 0, reason: "ok" }, structured_output: ANSWER, result: JSON.stringify(ANSWER), num_turns: 2 });
  });

  test("by whoever waits for a run in the background", async () => {
    using user = agentUser();
    const id = (await user.run(["run", "-d", "-q", "-m", user.script(GOOD), "--json-schema", SCHEMA, "judge"])).stdout.trim();
    expect(await user.run(["wait", id])).toMatchObject({ stdout: LINE, exitCode: 0 });
    expect(runResult((await user.run(["events", id])).stdout)).toMatchObject({ structured_output: ANSWER });
  });
});

describe("11 schema: there is no answer that fits", () => {
  test("after five tries", async () => {
    using user = agentUser();
    const ended = await user.run(["run", "-m", user.script([gives({})], { repeatLast: true }), "--json-schema", SCHEMA, "--output-format", "json", "judge"]);
    expect(ended.exitCode).toBe(11);
    expect(runResult(ended.stdout)).toMatchObject({ status: "failed", exit: { code: 11, reason: "schema" }, structured_output: null, result: "so be it", num_turns: 5, error: { code: "schema" } });
  });

  test("after three reminders", async () => {
    using user = agentUser();
    const reminded = { expect: { prompt: "your answer is still missing" }, reply: [{ text: "I am done" }] };
    const ended = await user.run(["run", "-m", user.script([{ reply: [{ text: "done" }] }, reminded, reminded, reminded]), "--json-schema", SCHEMA, "judge"]);
    expect(ended).toMatchObject({
      stdout: "",
      stderr: "agent: Failed (schema): The model ended its turn 4 times without giving an answer through SyntheticOutput\nagent: The last message was: I am done\n",
      exitCode: 11,
    });
  });

  test("but a run that was refused a call says that", async () => {
    using user = agentUser();
    const script = user.script([{ reply: [{ tool: "Bash", input: { command: "rm x" } }] }, ...GOOD]);
    const ended = await user.run(["run", "-m", script, "--json-schema", SCHEMA, "--output-format", "json", "judge"]);
    expect(runResult(ended.stdout)).toMatchObject({ exit: { code: 3 }, structured_output: ANSWER });
  });
});

describe("a conversation that is gone on with", () => {
  test("keeps the schema and the bytes of what it began with", async () => {
    using user = agentUser();
    const call = (id: string) => ({ content: [{ type: "tool_use", id, name: "SyntheticOutput", input: { verdict: "bad" } }] }) as const;
    await using api = startMessagesApi({ script: [call("toolu_1"), call("toolu_2"), call("toolu_3")] });
    const options = { env: api.env() };
    const first = await user.run(["run", "--json-schema", SCHEMA, "judge"], options);
    expect(first).toMatchObject({ stdout: '{"verdict":"bad"}\n', stderr: "", exitCode: 0 });
    expect((await user.run(["run", "-c", "again"], options)).stdout).toBe('{"verdict":"bad"}\n');
    const id = (await user.run(["ps", "-aq"])).stdout.trim();
    expect((await user.run(["resume", id, "--json-schema", '{"type":"object"}', "once more"], options)).stdout).toBe('{"verdict":"bad"}\n');
    const [one, two, three] = api.requests.map(({ body }) => body as { tools: { name: string; input_schema: unknown }[]; system: { text: string }[] });
    expect(JSON.stringify([two?.tools, two?.system])).toBe(JSON.stringify([one?.tools, one?.system]));
    expect(one?.tools.at(-1)).toMatchObject({ name: "SyntheticOutput", input_schema: JSON.parse(SCHEMA) });
    expect(three?.tools.at(-1)).toMatchObject({ name: "SyntheticOutput", input_schema: { type: "object" } });
    expect(JSON.stringify(three?.system)).toBe(JSON.stringify(one?.system));
    api.expectNoRefusals();
  });

  test("can begin to owe an answer", async () => {
    using user = agentUser();
    const script = user.script([{ reply: [{ text: "prose" }] }, { expect: { system: "call the tool SyntheticOutput once" }, ...GOOD[0] }]);
    expect((await user.run(["run", "-m", script, "judge"])).stdout).toBe("prose\n");
    expect((await user.run(["run", "-c", "--json-schema", SCHEMA, "judge"])).stdout).toBe(LINE);
  });
});

test("a schema whose root is no object goes to the model wrapped, and the answer comes out of it", async () => {
  using user = agentUser();
  await using api = startMessagesApi({ script: [{ content: [{ type: "tool_use", id: "toolu_1", name: "SyntheticOutput", input: { result: [{ line: 1 }] } }] }] });
  const schema = { $schema: "http://json-schema.org/draft-07/schema#", type: "array", items: { $ref: "#/definitions/at" }, definitions: { at: { type: "object", required: ["line"] } } };
  const ended = await user.run(["run", "--json-schema", JSON.stringify(schema), "find"], { env: api.env() });
  expect(ended).toMatchObject({ stdout: '[{"line":1}]\n', exitCode: 0 });
  const sent = api.requests[0]?.body as { tools: { input_schema: object }[] } | undefined;
  expect(sent?.tools.at(-1)?.input_schema).toMatchObject({ type: "object", properties: { result: { items: { $ref: "#/properties/result/definitions/at" } } } });
  api.expectNoRefusals();
});

describe("2 usage", () => {
  test.each([
    [["--json-schema", "gone.json", "x"], 'Cannot read the JSON Schema "gone.json"'],
    [["--json-schema", "{", "x"], "Invalid JSON Schema at the value of --json-schema:1:2"],
    [["-d", "--json-schema", '{"type":"text"}', "x"], 'at "/type"'],
    [["--json-schema", '{"$ref":"https://example.com"}', "x"], "is not fetched"],
    [["--exec", "--json-schema", "{}", "--", "true"], "leave out --exec or --json-schema"],
  ])("%j", async (args, message) => {
    using user = agentUser();
    const ended = await user.run(["run", ...args]);
    expect([ended.stdout, ended.exitCode]).toEqual(["", 2]);
    expect(ended.stderr).toContain(message);
  });
});
