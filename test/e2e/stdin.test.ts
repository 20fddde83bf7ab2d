import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reply, text } from "../support/api-reply.ts";
import { firstTexts } from "../support/request-messages.ts";
import { type ScriptedApi, startScriptedApi } from "../support/scripted-api-server.ts";
import { agentUser, type AgentUser } from "../support/spawn-agent.ts";

/** How long a pipe may stay silent beside a prompt, and what the rest of a run may take on a busy machine. */
const SILENCE_MS = 3_000;
const REST_MS = 1_500;

function sayHi(): ScriptedApi {
  return startScriptedApi({ turns: () => reply(text("hi")) });
}

/** Runs a script of bash that asks once, and resolves to what the model was asked. */
async function promptOf(script: string, prepare: (user: AgentUser) => void = () => undefined): Promise<string> {
  using user = agentUser();
  prepare(user);
  await using api = sayHi();
  const ended = await user.shell(script, { env: { ANTHROPIC_BASE_URL: api.url } });
  expect(ended).toMatchObject({ stdout: "hi\n", stderr: "", exitCode: 0 });
  expect(api.requests).toHaveLength(1);
  return firstTexts(api.requests[0]).join("|");
}

describe("a prompt reaches the model as it was given", () => {
  const odd = `  "quotes" $HOME \`ls\` ü😀 \u202e\ttab\r\nline\n\n `;

  test.each([
    ["as an argument", 'agent run "$PROMPT" </dev/null'],
    ["behind --", 'agent run -- "$PROMPT" </dev/null'],
    ["through a pipe", 'printf %s "$PROMPT" | agent run'],
    ["through a pipe named -", 'printf %s "$PROMPT" | agent run -'],
    ["from a file on stdin", 'printf %s "$PROMPT" >prompt; agent run <prompt'],
    ["with --prompt-file", 'printf %s "$PROMPT" >prompt; agent run --prompt-file prompt </dev/null'],
    ["with --prompt-file through a link", 'printf %s "$PROMPT" >prompt; ln -s prompt link; agent run --prompt-file link </dev/null'],
    ["late and in pieces", 'printf %s "$PROMPT" | (dd bs=7 count=1 status=none; sleep 0.2; cat) | agent run'],
  ])("%s", async (_how, script) => {
    expect(await promptOf(`export PROMPT; PROMPT=${shellWord(odd)}; ${script}`)).toBe(odd);
  });

  test.each([
    ["that looks like a flag, behind --", 'agent run -- --version', "--version"],
    ["that is one dash, from a file", "printf -- - >prompt; agent run --prompt-file prompt", "-"],
    ["with bytes that are no text", "printf 'a\\377b\\0c' | agent run", "a\ufffdb\0c"],
  ])("%s", async (_what, script, expected) => {
    expect(await promptOf(script)).toBe(expected);
  });
});

describe.concurrent("what is piped in beside a prompt is attached to it", () => {
  test.each([
    ["a diff", "printf 'one\\ntwo\\n' | agent run review", "review\n\n<stdin>\none\ntwo\n</stdin>"],
    ["what comes a second late", "(sleep 1; echo late) | agent run review", "review\n\n<stdin>\nlate\n</stdin>"],
    ["what comes in pieces, with a pause longer than the silence that ends it", "(echo early; sleep 3.2; echo late) | agent run review", "review\n\n<stdin>\nearly\nlate\n</stdin>"],
    ["a file", "echo data >file; agent run review <file", "review\n\n<stdin>\ndata\n</stdin>"],
    ["beside --prompt-file too", "echo review >prompt; echo data | agent run --prompt-file prompt", "review\n\n\n<stdin>\ndata\n</stdin>"],
    ["nothing, when nothing comes", ": | agent run review", "review"],
  ])("%s", async (_what, script, expected) => {
    expect(await promptOf(script)).toBe(expected);
  });

  test("5 MB of it, whole", async () => {
    const prompt = await promptOf("head -c 5000000 /dev/zero | tr '\\0' x | agent run review");
    expect(prompt).toHaveLength("review\n\n<stdin>\n\n</stdin>".length + 5_000_000);
  });
});

describe.concurrent("a run that has its prompt does not wait for a stdin that says nothing (A35)", () => {
  test.each([
    ["a pipe that stays open", "mkfifo pipe; exec 9<>pipe; agent run hello <pipe", SILENCE_MS + REST_MS],
    ["a pipe that stays open, in the background", "mkfifo pipe; exec 9<>pipe; agent wait $(agent run -q -d hello <pipe)", SILENCE_MS + REST_MS],
    ["the null device", "agent run hello </dev/null", REST_MS],
    ["a stdin that is closed", "agent run hello <&-", REST_MS],
    ["a directory", "agent run hello <.", REST_MS],
  ])("%s", async (_what, script, withinMs) => {
    using user = agentUser();
    await using api = sayHi();
    const startedAt = performance.now();
    const ended = await user.shell(script, { env: { ANTHROPIC_BASE_URL: api.url } });
    expect(ended).toMatchObject({ stdout: "hi\n", stderr: "", exitCode: 0 });
    expect(firstTexts(api.requests[0])).toEqual(["hello"]);
    expect(performance.now() - startedAt).toBeLessThan(withinMs);
  });
});

describe("without anything to do a run says so at once", () => {
  test.each([
    ["no prompt and no stdin", "agent run </dev/null", "Nothing to do"],
    ["no prompt and a closed stdin", "agent run <&-", "Nothing to do"],
    ["a dash and no stdin", "agent run - </dev/null", "Nothing to do"],
    ["an empty argument", "agent run '' </dev/null", "empty"],
    ["an argument of spaces", "agent run ' ' </dev/null", "empty"],
    ["an empty pipe", ": | agent run", "empty"],
    ["a pipe of spaces", "echo | agent run -", "empty"],
    ["an argument and a file", "echo x >file; agent run --prompt-file file hello </dev/null", "not both"],
    ["a file that is missing", "agent run --prompt-file none </dev/null", '"none"'],
    ["a file that is a directory", "agent run --prompt-file . </dev/null", '"."'],
    ["a file that is a pipe without a writer", "mkfifo pipe; agent run --prompt-file pipe </dev/null", '"pipe"'],
    ["an empty file", ": >file; agent run --prompt-file file </dev/null", "empty"],
    ["a file that is too long", "head -c 11000000 /dev/zero >file; agent run --prompt-file file </dev/null", "10485760"],
    ["a pipe that is too long", "head -c 11000000 /dev/zero | agent run", "10485760"],
    ["a pipe without an end", "yes | agent run hello", "10485760"],
  ])("%s", async (_what, script, said) => {
    using user = agentUser();
    await using api = sayHi();
    const ended = await user.shell(script, { env: { ANTHROPIC_BASE_URL: api.url } });
    expect(ended).toMatchObject({ stdout: "", exitCode: 2 });
    expect(ended.stderr).toContain(said);
    expect(ended.stderr.split("\n").filter((line) => line.startsWith("agent:"))).toHaveLength(1);
    expect(api.requests).toHaveLength(0);
  });

  test("a prompt is not read before the model is known to be usable", async () => {
    using user = agentUser();
    mkdirSync(join(user.project, "d"));
    writeFileSync(join(user.project, "d", "script.json"), "{");
    const ended = await user.shell("mkfifo pipe; exec 9<>pipe; agent run -m scripted:none.json - <pipe");
    expect([ended.exitCode, ended.stdout]).toEqual([2, ""]);
    expect(ended.stderr).toContain("none.json");
  });
});

function shellWord(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`;
}
