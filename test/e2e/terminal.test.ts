import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { executable } from "../support/executable.ts";
import { reply, text } from "../support/api-reply.ts";
import { startScriptedApi } from "../support/scripted-api-server.ts";
import { agentUser, type AgentUser } from "../support/spawn-agent.ts";
import { runInTerminal } from "../support/terminal.ts";

/** Everything that foreign text could do to a terminal: color, title, clipboard, screen, direction, hidden letters. */
const FOREIGN = "a\u001b[31mred\u001b]0;title\u0007\u001b]52;c;aGk=\u0007\u001b[2J\u009b1m\u202egnp\u200b\u{e0041}\r\u0008z";
const SHOWN = "a␛[31mred␛]0;title␇␛]52;c;aGk=␇␛[2J<U+009B>1m<U+202E>gnp<U+200B><U+E0041>␍␈z";
const TALK = [{ reply: [{ text: "first words" }, { tool: "Bash", input: { command: "echo made" } }, { tool: "Bash", input: { command: "rm x" } }] }, { reply: [{ text: "the answer" }] }];
/** The line that says what goes on, and what takes it away. */
const LIVE = /\r\u001b\[K(\u001b\[2m)?turn \d/;

function inTerminal(user: AgentUser, script: string, env: Record<string, string> = {}) {
  return runInTerminal(["bash", "-c", script], { cwd: user.project, env: { ...user.env, COLUMNS: "200", ...env } });
}

describe("a run on a terminal", () => {
  test("shows the answer while it comes, every word of it, and the line that says what goes on", async () => {
    using user = agentUser();
    const { shown, exitCode } = await inTerminal(user, `agent run -m ${user.script(TALK)} go`);
    expect(shown).toMatch(LIVE);
    expect(screenOf(shown)).toEqual([
      "first words",
      `agent: Refused Bash: No rule allows the command "rm x"; --allow 'Bash(rm x)' would allow it`,
      "",
      "the answer",
      "agent: Failed (permission_denied): A tool call in the last turn that made calls was refused",
    ]);
    expect(exitCode).toBe(3);
  });

  test("does not draw over an answer that comes slowly", async () => {
    using user = agentUser();
    // Longer than the line takes to refresh.
    await using api = startScriptedApi({ turns: [{ ...reply(text("half of the answer")), fault: { kind: "pings", afterEvents: 4 } }] });
    const { shown, exitCode } = await inTerminal(user, "agent run --timeout 2500ms go", { ANTHROPIC_BASE_URL: api.url });
    expect(screenOf(shown).slice(0, 2)).toEqual(["half of the answ", "agent: Failed (timeout): Stopped: the run took longer than its --timeout of 2.5 s"]);
    expect(exitCode).toBe(124);
  });

  test("starts a failed reply anew on a line of its own", async () => {
    using user = agentUser();
    await using api = startScriptedApi({ turns: [{ ...reply(text("half of the answer")), fault: { kind: "end", afterEvents: 4 } }, reply(text("all of it"))] });
    const { shown } = await inTerminal(user, "agent run go", { ANTHROPIC_BASE_URL: api.url });
    const lines = screenOf(shown).filter((line) => line !== "");
    expect(lines).toEqual(["half of the answ", expect.stringContaining("agent: Request failed"), "all of it"]);
  });

  test.each([
    ["stdout alone", "2>other", "other"],
    ["stderr alone", ">other", "other"],
  ])("with %s on it keeps the streams apart", async (_what, redirection, other) => {
    using user = agentUser();
    const { shown } = await inTerminal(user, `agent run -m ${user.script(TALK)} go ${redirection}`);
    const file = readFileSync(join(user.project, other), "utf8");
    const [answer, notes] = redirection.startsWith("2") ? [shown, file] : [file, shown];
    expect(answer).not.toMatch(/turn|agent:|\u001b/);
    expect(notes).toContain("agent: Refused Bash");
    expect(LIVE.test(notes)).toBe(notes === shown);
  });

  test.each([
    ["NO_COLOR", "", { NO_COLOR: "1" }],
    ["a terminal that knows none", "", { TERM: "dumb" }],
    ["--color never", "--color never", {}],
  ])("has no color with %s", async (_what, flag, env) => {
    using user = agentUser();
    const { shown } = await inTerminal(user, `agent run ${flag} -m ${user.script(TALK)} go`, env);
    expect(shown).not.toMatch(/\u001b\[[0-9;]*m/);
    expect(shown).toContain("the answer");
  });

  test.each([
    ["in CI", "", { CI: "true" }],
    ["with -q", "-q", {}],
    ["with lines for machines on it", "--output-format stream-json", {}],
  ])("shows no line that comes and goes %s", async (_what, flag, env) => {
    using user = agentUser();
    const { shown } = await inTerminal(user, `agent run ${flag} -m ${user.script(TALK)} go`, env);
    expect(shown).not.toContain("\u001b");
    expect(shown).toContain("the answer");
  });
});

describe("foreign text reaches a terminal only in a form that does nothing", () => {
  const script = [
    { reply: [{ text: FOREIGN }, { tool: "Bash", input: { command: `echo ${FOREIGN}`, description: FOREIGN } }, { tool: FOREIGN, input: { command: FOREIGN } }, { tool: "Read", input: { file_path: FOREIGN } }] },
    { reply: [{ tool: "Bash", input: { command: "cat foreign", run_in_background: true } }] },
    { reply: [{ text: FOREIGN }] },
  ];

  test.each([
    ["of the model, while it runs", ""],
    ["of the model, afterwards", ">out"],
    ["of a failing service", ""],
  ])("%s", async (what, redirection) => {
    using user = agentUser();
    const failing = [{ error: { status: 400, message: FOREIGN } }];
    const { shown } = await inTerminal(user, `agent run -v -m ${user.script(what.includes("service") ? failing : script)} go ${redirection}`);
    expect(harmless(shown)).toContain(SHOWN);
  });

  test("of a prompt and of the output of a command, in every command that shows them", async () => {
    using user = agentUser();
    await Bun.write(join(user.project, "foreign"), FOREIGN);
    await user.run(["run", "-m", user.script(script), FOREIGN.replaceAll("\r", "")]);
    const ids = (await user.run(["ps", "-aq"])).stdout.trim().split("\n");
    for (const command of ["ps -a", "ps -a --json", ...ids.flatMap((id) => [`logs ${id}`, `logs --json ${id}`, `wait ${id}`, `inspect ${id}`])]) {
      const { shown } = await inTerminal(user, `agent ${command}`);
      expect([command, harmful(harmless(shown))]).toEqual([command, []]);
    }
  });

  test("of the command line itself", async () => {
    using user = agentUser();
    for (const args of [["run", `--${FOREIGN}`], [FOREIGN], ["run", "-m", FOREIGN, "go"], ["run", "-C", FOREIGN, "go"], ["logs", FOREIGN], ["ps", "--filter", FOREIGN], ["config", "get", FOREIGN]]) {
      const { shown } = await runInTerminal([executable(), ...args], { cwd: user.project, env: user.env });
      expect([args.join(" "), harmful(harmless(shown))]).toEqual([args.join(" "), []]);
    }
  });
});

/** What stays when the sequences of the program itself are taken away: color, and the line that comes and goes. */
function harmless(shown: string): string {
  return shown.replaceAll(/\r\n|\r\u001b\[K|\u001b\[[0-9;]*m/g, "\n");
}

function harmful(shown: string): string[] {
  return shown.match(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b\u202e\u2028]|\u{e0041}/gu) ?? [];
}

/** The lines of a terminal that can go back to the start of a line and clear it, and nothing else. */
function screenOf(shown: string): string[] {
  const lines = shown.replaceAll(/\u001b\[[0-9;]*m/g, "").replaceAll("\r\n", "\n").split("\n");
  const visible = lines.map((line) => line.slice(line.lastIndexOf("\r\u001b[K") === -1 ? 0 : line.lastIndexOf("\r\u001b[K") + 4));
  return visible.at(-1) === "" ? visible.slice(0, -1) : visible;
}
