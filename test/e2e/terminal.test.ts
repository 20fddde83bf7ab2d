import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { executable } from "../support/executable.ts";
import { reply, text } from "../support/api-reply.ts";
import { startScriptedApi } from "../support/scripted-api-server.ts";
import { agentUser, type AgentUser } from "../support/spawn-agent.ts";
import { isAlive } from "../support/processes.ts";
import { runInTerminal, startInTerminal } from "../support/terminal.ts";
import { waitFor } from "../support/wait-for.ts";

/** Everything that foreign text could do to a terminal: color, title, clipboard, screen, direction, hidden letters. */
const FOREIGN = "a\u001b[31mred\u001b]0;title\u0007\u001b]52;c;aGk=\u0007\u001b[2J\u009b1m\u202egnp\u200b\u{e0041}\r\u0008z";
const SHOWN = "a␛[31mred␛]0;title␇␛]52;c;aGk=␇␛[2J<U+009B>1m<U+202E>gnp<U+200B><U+E0041>␍␈z";
const TALK = [{ reply: [{ text: "first words" }, { tool: "Bash", input: { command: "echo made" } }, { tool: "Bash", input: { command: "rm x" } }] }, { reply: [{ text: "the answer" }] }];
/** The line that says what goes on, and what takes it away. */
const LIVE = /\r\u001b\[K(\u001b\[2m)?turn \d/;

/** Nobody is there to answer: standard input is no terminal. */
function inTerminal(user: AgentUser, script: string, env: Record<string, string> = {}) {
  return runInTerminal(["bash", "-c", `exec </dev/null\n${script}`], { cwd: user.project, env: { ...user.env, COLUMNS: "200", ...env } });
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

describe("Ctrl-C", () => {
  const CTRL_C = "\u0003";

  test("ends the run and the command it waits for, and says so", async () => {
    using user = agentUser();
    const script = user.script([{ reply: [{ tool: "Bash", input: { command: "echo $$ > pid; sleep 61" } }] }, { reply: [{ text: "unreachable" }] }]);
    const program = startInTerminal([executable(), "run", "--permission-mode", "bypassPermissions", "-m", script, "go"], { cwd: user.project, env: user.env });
    const pid = await waitFor(() => readPid(user) || undefined);
    program.type(CTRL_C);
    expect(await program.exited).toBe(130);
    expect(isAlive(pid)).toBe(false);
    expect(program.shown()).toContain("agent: Stopped (interrupted): Interrupted");
    expect(program.shown()).not.toContain("unreachable");
  });

  test("twice ends at once what does not want to end", async () => {
    using user = agentUser();
    const program = startInTerminal([executable(), "run", "--exec", "--", "bash", "-c", "trap '' TERM INT; echo $$ > pid; while :; do sleep 61; done"], { cwd: user.project, env: user.env });
    const pid = await waitFor(() => readPid(user) || undefined);
    program.type(CTRL_C);
    await waitFor(() => program.shown().includes("once more ends it at once"));
    const startedAt = performance.now();
    program.type(CTRL_C);
    expect(await program.exited).toBe(130);
    expect(performance.now() - startedAt).toBeLessThan(2_500);
    expect(isAlive(pid)).toBe(false);
    expect(JSON.parse((await user.run(["ps", "-a", "--json"])).stdout)).toMatchObject([{ status: "killed" }]);
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

test("a list of tasks is as wide as the terminal says it is", async () => {
  using user = agentUser();
  const script = user.script([{ reply: [{ text: "done" }] }]);
  await user.run(["run", "-m", script, "x".repeat(70)]);
  const widest = async (options: { readonly columns: number; readonly env?: Record<string, string> }) => {
    const { shown } = await runInTerminal([executable(), "ps", "-a"], { cwd: user.project, columns: options.columns, env: { ...user.env, ...options.env } });
    return Math.max(...screenOf(shown).map((line) => line.length));
  };
  expect(await widest({ columns: 77 })).toBe(77);
  expect(await widest({ columns: 77, env: { COLUMNS: "66" } })).toBe(66);
});

/** What a command wrote into the file `pid`; 0 until it is there. */
function readPid(user: AgentUser): number {
  const file = join(user.project, "pid");
  return existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
}

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
