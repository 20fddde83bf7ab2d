import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { executable } from "../support/executable.ts";
import { agentUser, type AgentUser } from "../support/spawn-agent.ts";
import { startInTerminal, type TerminalProgram } from "../support/terminal.ts";
import { waitFor } from "../support/wait-for.ts";

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const CTRL_Z = "\u001a";
const MAKE = { tool: "Bash", input: { command: "touch made" } };
const MAKE_OTHER = { tool: "Write", input: { file_path: "other", content: "x" } };
const DONE = { reply: [{ text: "the end" }] };

describe("a person at the terminal is asked, and what they answer holds", () => {
  test("n and an empty line and Ctrl-D refuse the call", async () => {
    for (const keys of ["n\n", "\n", CTRL_D]) {
      using user = agentUser();
      const program = startAsking(user, [{ reply: [MAKE] }, DONE]);
      await answer(program, 1, keys);
      expect(await program.exited).toBe(3);
      expect(program.shown()).toContain("agent: Refused Bash: The user refused this call\r\n");
      expect(existsSync(join(user.project, "made"))).toBe(false);
    }
  });

  test("y allows the call once", async () => {
    using user = agentUser();
    const program = startAsking(user, [{ reply: [MAKE_OTHER, MAKE] }, { reply: [MAKE] }, DONE]);
    await answer(program, 1, "y\n");
    await answer(program, 2, "y\n");
    expect(program.shown()).toContain(`  | writes ${join(user.project, "other")}\r\n`);
    expect(existsSync(join(user.project, "other"))).toBe(true);
    await answer(program, 3, "n\n");
    expect(await program.exited).toBe(3);
    expect(existsSync(join(user.project, "made"))).toBe(true);
  });

  test("r allows what the rules cover for the run", async () => {
    using user = agentUser();
    const script = [{ reply: [MAKE] }, { reply: [MAKE] }, DONE];
    const program = startAsking(user, script);
    await answer(program, 1, "r\n");
    expect(await program.exited).toBe(0);
    expect(questions(program)).toBe(1);
    const next = startAsking(user, script);
    await answer(next, 1, CTRL_C);
    expect(await next.exited).toBe(130);
  });

  test("a allows it for good", async () => {
    using user = agentUser();
    const program = startAsking(user, [{ reply: [MAKE] }, DONE]);
    await answer(program, 1, "a\n");
    expect(await program.exited).toBe(0);
    const [, rule = ""] = /\[a\] always: (.*?) {2}\[n\]/.exec(program.shown()) ?? [];
    expect(JSON.parse((await user.run(["config", "get", "permissions.allow", "--json"])).stdout)).toEqual([rule]);
    const next = startAsking(user, [{ reply: [MAKE] }, DONE]);
    expect(await next.exited).toBe(0);
    expect(questions(next)).toBe(0);
  });

  test("anything else is no answer, and nothing that was typed before the question is", async () => {
    using user = agentUser();
    const program = startAsking(user, [{ reply: [MAKE] }, { reply: [MAKE] }, DONE]);
    program.type("y\ny\na\ny");
    for (const [index, keys] of ["yes\n", " y\n", "yy\n", "y\ny\n", "1\n"].entries()) await answer(program, index + 1, keys);
    await answer(program, 6, "n\n");
    await answer(program, 7, "n\n");
    expect(await program.exited).toBe(3);
    expect(existsSync(join(user.project, "made"))).toBe(false);
  });

  test("Ctrl-C ends the run", async () => {
    using user = agentUser();
    const program = startAsking(user, [{ reply: [MAKE, MAKE_OTHER] }, DONE]);
    await answer(program, 1, CTRL_C);
    expect(await program.exited).toBe(130);
    expect(questions(program)).toBe(1);
    expect(program.shown()).toContain("agent: Stopped (interrupted): Interrupted");
    expect(program.shown()).not.toContain("The user refused");
    expect(existsSync(join(user.project, "made"))).toBe(false);
  });

  test("no answer in time ends the run", async () => {
    using user = agentUser();
    const program = startAsking(user, [{ reply: [MAKE] }, DONE], { flags: ["--timeout", "1500ms"] });
    await shownQuestion(program, 1);
    expect(await program.exited).toBe(124);
    expect(existsSync(join(user.project, "made"))).toBe(false);
  });

  test("a terminal that goes away ends the run", async () => {
    using user = agentUser();
    const program = startAsking(user, [{ reply: [MAKE] }, DONE]);
    await shownQuestion(program, 1);
    program.hangUp();
    expect(await program.exited).toBe(129);
    expect(existsSync(join(user.project, "made"))).toBe(false);
  });

  test("a run that was halted meanwhile asks again", async () => {
    using user = agentUser();
    const program = startAsking(user, [{ reply: [MAKE] }, DONE]);
    await answer(program, 1, CTRL_Z);
    await waitFor(() => readFileSync(`/proc/${program.pid}/stat`, "utf8").includes(") T "), { what: "the run to halt" });
    process.kill(program.pid, "SIGCONT");
    await answer(program, 2, "y\n");
    expect(await program.exited).toBe(0);
  });
});

test("what a person allowed is on record, and stdout stays for machines", async () => {
  using user = agentUser();
  const program = startAsking(user, [{ reply: [MAKE] }, DONE], { flags: ["--output-format", "stream-json"], redirection: ">events" });
  await answer(program, 1, "r\n");
  expect(await program.exited).toBe(0);
  const events = readFileSync(join(user.project, "events"), "utf8").trim().split("\n").map((line) => JSON.parse(line));
  expect(events.filter(({ type }) => type.startsWith("permission."))).toMatchObject([
    { type: "permission.requested", tool: "Bash", input: { command: expect.stringContaining("made") }, suggestions: [expect.stringContaining("made")] },
    { decision: "allow", tool: "Bash", by: { rule: null, layer: "user", grants: [expect.stringContaining("made")] } },
  ]);
});

describe("nobody is asked, and the call is refused at once", () => {
  test.each([
    ["standard input is no terminal", { redirection: "</dev/null" }],
    ["stderr is no terminal", { redirection: "2>notes" }],
    ["lines for machines go to the terminal", { flags: ["--output-format", "stream-json"] }],
    ["nothing but errors is to be shown", { flags: ["-q"] }],
    ["the mode says so", { flags: ["--permission-mode", "dontAsk"] }],
    ["it is a job of CI", { env: { CI: "1" } }],
    ["another program is in front", { redirection: "& wait", before: "set -m" }],
  ])("where %s", async (_what, options: AskingOptions) => {
    using user = agentUser();
    const program = startAsking(user, [{ reply: [MAKE] }, DONE], options);
    const code = await program.exited;
    expect(questions(program)).toBe(0);
    expect([code, existsSync(join(user.project, "made"))]).toEqual([options.before === undefined ? 3 : 0, false]);
  });

  test("in the background", async () => {
    using user = agentUser();
    const program = startAsking(user, [{ reply: [MAKE] }, DONE], { flags: ["-d"] });
    expect(await program.exited).toBe(0);
    const { stdout } = await user.run(["ps", "-aq"]);
    expect((await user.run(["wait", stdout.trim()])).exitCode).toBe(3);
    expect(questions(program)).toBe(0);
  });
});

interface AskingOptions {
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What a shell appends to the command. */
  readonly redirection?: string;
  readonly before?: string;
}

function startAsking(user: AgentUser, turns: readonly object[], { flags = [], env = {}, redirection, before = "" }: AskingOptions = {}): TerminalProgram {
  const args = ["run", ...flags, "-m", user.script(turns), "go"];
  const argv = redirection === undefined ? [executable(), ...args] : ["bash", "-c", `${before}\nagent "$@" ${redirection}`, "-", ...args];
  return startInTerminal(argv, { cwd: user.project, env: { ...user.env, ...env } });
}

function questions(program: TerminalProgram): number {
  return program.shown().split("Answer ").length - 1;
}

async function shownQuestion(program: TerminalProgram, count: number): Promise<void> {
  await waitFor(() => questions(program) >= count && /Answer [^\n]*: $/.test(program.shown()), { what: `question ${count}` });
}

async function answer(program: TerminalProgram, count: number, keys: string): Promise<void> {
  await shownQuestion(program, count);
  program.type(keys);
}
