import { describe, expect, test } from "bun:test";
import { AppError } from "../../src/core/errors.ts";
import type { ArgumentTable } from "../../src/cli/command.ts";
import { runCli } from "../../src/cli/main.ts";
import { parseArguments } from "../../src/cli/parse-arguments.ts";
import { COMMANDS, FLAGGED_COMMANDS } from "../../src/cli/registry.ts";
import { RUN_ARGUMENTS } from "../../src/cli/run/arguments.ts";
import { memoryIo } from "../support/memory-io.ts";

/** What belongs to a flag is not built yet and has no arguments. */
const built = Object.entries(COMMANDS).filter(([name]) => !FLAGGED_COMMANDS.has(name));
const commands = await Promise.all(built.map(async ([name, entry]) => ({ name, args: (await entry.load()).default.args })));
const flagsOf = (args: ArgumentTable) => Object.keys(args).filter((name) => args[name]?.type !== "positional");
const everyFlag = commands.flatMap(({ name, args }) => [...flagsOf(args), "help"].map((flag) => [name, flag] as const));

describe("a flag with a typing error", () => {
  test.each(everyFlag)("agent %s --%s: exit 2, the flag is named, stdout is empty (T-3)", async (name, flag) => {
    const mistyped = `--${flag.slice(0, 1)}q${flag.slice(1)}`;
    const io = memoryIo();
    expect(await runCli([name, mistyped], io)).toBe(2);
    expect(io.stdout.text).toBe("");
    expect(io.stderr.text).toStartWith(`agent: Unknown flag "${mistyped}" of "agent ${name}": did you mean --${flag}?`);
  });

  test.each([
    [["-z"], 'Unknown flag "-z" of "agent run"'],
    [["-dz"], 'Unknown flag "-z" in "-dz" of "agent run"'],
    [["-backgruond"], 'Unknown flag "-b" in "-backgruond" of "agent run": did you mean --background?'],
    [["--no-backgruond"], 'Unknown flag "--no-backgruond"'],
    [["--constructor"], 'Unknown flag "--constructor"'],
    [["--__proto__"], 'Unknown flag "--__proto__"'],
    [["--help", "--bogus"], 'Unknown flag "--bogus"'],
  ])("agent run %j says %s (T-3)", (argv, message) => {
    expect(failure(argv).message).toStartWith(message);
  });
});

describe("repeated flags", () => {
  test("every rule is kept, in order (T-4)", () => {
    const { values } = parse(["--allow", "A", "--deny=B", "--allow=C", "--deny", "D", "--deny", "E"]);
    expect(values).toMatchObject({ allow: ["A", "C"], deny: ["B", "D", "E"] });
  });

  test("of a flag that takes one value the last counts", () => {
    expect(parse(["--max-turns=5", "--max-turns", "6"]).values["max-turns"]).toBe("6");
  });

  test("without one there are none", () => {
    expect(parse([]).values).toMatchObject({ allow: [], deny: [], model: undefined });
  });
});

describe("values", () => {
  test.each([
    [["-m"], "-m, --model"],
    [["--model"], "-m, --model"],
    [["-m", "-d"], "-m"],
    [["--model", "--background"], "--model"],
    [["--cwd", "--"], "--cwd"],
    [["--background=yes"], "-d, --background"],
  ])("agent run %j: the value is missing or does not fit (T-5)", (argv, flag) => {
    expect(failure(argv)).toMatchObject({ reason: "usage", code: "bad_value", message: expect.stringContaining(`Cannot use "${flag}"`) });
  });

  test.each([[["--model", ""]], [["--model="]]])("agent run %j: an empty value is none (T-5)", (argv) => {
    expect(failure(argv).message).toBe('The value of --model is empty: give one, or leave the flag out of "agent run"');
  });

  test("a value may begin with a dash where it is tied to its flag", () => {
    expect(parse(["--append-system-prompt=-x"]).values["append-system-prompt"]).toBe("-x");
  });

  test("an impossible choice is exit 2 with the nearest one, and stdout is empty (T-6)", async () => {
    const io = memoryIo();
    expect(await runCli(["run", "--permission-mode", "plna", "hi"], io)).toBe(2);
    expect(io.stdout.text).toBe("");
    expect(io.stderr.text).toBe('agent: Cannot use "plna" for --permission-mode (did you mean "plan"?): it takes default, acceptEdits, plan, dontAsk, bypassPermissions\n');
  });

  test("letters may stand together, the last with its value", () => {
    expect(parse(["-dm", "x", "hi"]).values).toMatchObject({ background: true, model: "x", prompt: "hi" });
    expect(parse(["-mx"]).values).toMatchObject({ model: "x" });
  });

  test("--no- takes a switch back, and nothing else", () => {
    expect(parse(["--background", "--no-background"]).values["background"]).toBe(false);
    expect(failure(["--no-model"]).message).toStartWith('Unknown flag "--no-model"');
  });
});

describe("arguments", () => {
  test("more than there are places for are refused, with the way to write them (T-5)", () => {
    expect(failure(["make", "the", "tests", "pass"]).message).toBe('Unexpected argument "the" of "agent run": put the prompt in quotes');
    expect(failure(["a"], { commandName: "version", table: {} }).message).toBe('Unexpected argument "a" of "agent version": see "agent version --help"');
  });

  test("one that takes several takes all", () => {
    const table = { json: { type: "boolean", description: "" }, task: { type: "positional", isMultiple: true, description: "" } } as const;
    expect(parseArguments("inspect", table, ["a", "--json", "b"], {}).values).toEqual({ json: true, task: ["a", "b"] });
    expect(parseArguments("inspect", table, [], {}).values).toEqual({ json: undefined, task: [] });
  });

  test("behind -- everything is an argument", () => {
    expect(parse(["--", "--background"]).values).toMatchObject({ background: undefined, prompt: "--background" });
    expect(parse(["-"]).values["prompt"]).toBe("-");
  });

  test("behind -- stands the command that --exec runs, as it is", () => {
    const parsed = parse(["--exec", "-d", "--", "make", "-j2", "--", "--background"]);
    expect(parsed.afterTerminator).toEqual(["make", "-j2", "--", "--background"]);
    expect(parsed.values).toMatchObject({ exec: true, background: true, prompt: undefined });
  });
});

describe("environment", () => {
  test("a variable stands in for its flag, and the flag goes before it", () => {
    expect(parse([], { AGENT_MODEL: "x" }).values["model"]).toBe("x");
    expect(parse(["-m", "y"], { AGENT_MODEL: "x" }).values["model"]).toBe("y");
    expect(parse([], { AGENT_MODEL: "" }).values["model"]).toBeUndefined();
  });

  test("it is checked as strictly", () => {
    expect(failure([], { env: { AGENT_PERMISSION_MODE: "all" } }).message).toStartWith('Cannot use "all" for --permission-mode');
  });
});

describe("commands", () => {
  test.each([
    [["stpo"], 'agent: Unknown command "stpo": did you mean "agent stop"?\n'],
    [["toString"], 'agent: Unknown command "toString": see "agent --help"\n'],
    [["__proto__"], 'agent: Unknown command "__proto__": see "agent --help"\n'],
    [["--background", "hi"], 'agent: Unknown flag "--background": flags stand behind a command; see "agent --help"\n'],
    [["run-proces"], 'agent: Unknown command "run-proces": see "agent --help"\n'],
  ])("agent %j is exit 2 with nothing on stdout (T-6)", async (argv, message) => {
    const io = memoryIo();
    expect(await runCli(argv, io)).toBe(2);
    expect(io.stdout.text).toBe("");
    expect(io.stderr.text).toBe(message);
  });

  test("who asked for JSON gets the failure as JSON too", async () => {
    const io = memoryIo();
    expect(await runCli(["run", "--output-format=json", "--bogus"], io)).toBe(2);
    expect(JSON.parse(io.stdout.text)).toMatchObject({ v: 1, error: { code: "unknown_flag", reason: "usage" }, exit: { code: 2, reason: "usage" } });
  });
});

function parse(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return parseArguments("run", RUN_ARGUMENTS, argv, env);
}

function failure(
  argv: readonly string[],
  { commandName = "run", table = RUN_ARGUMENTS, env = {} }: { readonly commandName?: string; readonly table?: ArgumentTable; readonly env?: Record<string, string> } = {},
): AppError {
  try {
    parseArguments(commandName, table, argv, env);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error("Expected a failure");
}
