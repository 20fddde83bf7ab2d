import { describe, expect, test } from "bun:test";
import { runCli } from "../../src/cli/main.ts";
import { COMMANDS, visibleCommands } from "../../src/cli/registry.ts";
import { memoryIo } from "../support/memory-io.ts";

const ROOT_HELP = `agent runs coding agents without a terminal, in the foreground or in the background.

Examples:
  agent run "explain what this project does"
  agent run -d --permission-mode acceptEdits --allow 'Bash(npm test:*)' "make the tests pass"
  agent logs -f ID

Commands:
  run          Run an agent on a prompt, or a command with --exec
  ps           List tasks
  logs         Show the output of a task
  events       Show the events of a run as lines of JSON
  wait         Wait for tasks to end and exit as they did
  send         Give a message to an agent; one that has ended is woken by it
  interrupt    End the current turn of an agent, which then waits for a message
  resume       Go on with an agent that has ended: the next attempt at its task
  stop         Stop tasks and everything they started
  inspect      Show the whole record of tasks as JSON
  diff         Show what an agent has changed in its worktree
  apply        Take over what an agent has changed in its worktree
  discard      Throw away what an agent has changed in its worktree
  rm           Remove ended tasks and their output
  gc           Remove what ended long ago and what nobody needs any more
  config       Show and change settings
  permissions  Explain what a run may do, and test a policy
  agents       Show and check agent definitions
  doctor       Check the installation and the state folder
  features     Show what this build contains
  schema       Print the JSON Schema of a machine format
  completion   Print a script that completes commands, flags and task ids in a shell
  version      Show the version of this build
  help         Show help for a command

More about one of them: "agent help COMMAND".
`;

describe("the help of the program", () => {
  test.each([[["help"]], [["--help"]], [["-h"]]])("is what %j prints", async (argv) => {
    const io = memoryIo();
    expect(await runCli(argv, io)).toBe(0);
    expect(io.stdout.text).toBe(ROOT_HELP);
    expect(io.stderr.text).toBe("");
  });

  test("goes to a person who typed nothing else", async () => {
    const io = memoryIo({ isStdoutTty: true });
    expect(await runCli([], io)).toBe(0);
    expect(io.stdout.text).toBe(ROOT_HELP);
  });

  test("goes to stderr, and is a failure, where a script lost its arguments", async () => {
    const io = memoryIo();
    expect(await runCli([], io)).toBe(2);
    expect(io.stdout.text).toBe("");
    expect(io.stderr.text).toBe(ROOT_HELP);
  });
});

describe("the help of a command", () => {
  const LINES_MAX: Readonly<Record<string, number>> = { run: 64, resume: 55 };

  test.each(visibleCommands())("%s: fits a screen, examples first, and is the same both ways", async (name) => {
    const io = memoryIo();
    expect(await runCli(["help", name], io)).toBe(0);
    const lines = io.stdout.text.split("\n");
    expect(lines.length - 1).toBeLessThanOrEqual(LINES_MAX[name] ?? 24);
    expect(lines.slice(1, 3)).toEqual(["", "Examples:"]);
    expect(lines[3]).toContain(`agent ${name}`);
    expect(lines.filter((line) => line !== line.trimEnd())).toEqual([]);
    expect(io.stdout.text).toContain(`USAGE agent ${name}`);
    expect(io.stdout.text).not.toContain("\u001b");
    const flagIo = memoryIo();
    expect(await runCli([name, "--help"], flagIo)).toBe(0);
    expect(flagIo.stdout.text).toBe(io.stdout.text);
  });

  test.each(visibleCommands())("%s: says all its flags", async (name) => {
    const io = memoryIo();
    await runCli(["help", name], io);
    const command = (await COMMANDS[name]?.load())?.default;
    expect(command?.name).toBe(name);
    expect(command?.description).toBe(COMMANDS[name]?.description ?? "");
    for (const [flag, { type }] of Object.entries(command?.args ?? {})) {
      expect(io.stdout.text).toContain(type === "positional" ? flag.toUpperCase() : `--${flag}`);
    }
  });

  test.each([["stpo"], ["teleport"], ["toString"]])("of %s, which is none, is exit 2", async (name) => {
    const io = memoryIo();
    expect(await runCli(["help", name], io)).toBe(2);
    expect(io.stdout.text).toBe("");
    expect(io.stderr.text).toStartWith(`agent: Unknown command "${name}"`);
  });
});
