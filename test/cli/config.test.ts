import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCli } from "../../src/cli/main.ts";
import { SETTING_SOURCES } from "../../src/cli/settings/setting-sources.ts";
import { RUN_ARGUMENTS } from "../../src/cli/run/arguments.ts";
import type { ArgumentDefinition } from "../../src/cli/command.ts";
import { memoryIo } from "../support/memory-io.ts";
import { tempDir } from "../support/temp-dir.ts";

describe("set", () => {
  test("makes a file for this user alone in a folder for this user alone", async () => {
    using world = makeWorld();
    expect(await world.config("set", "model", "opus")).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(readFileSync(world.user, "utf8")).toBe('{\n  "model": "opus"\n}\n');
    expect(statSync(world.user).mode & 0o777).toBe(0o600);
    expect(statSync(join(world.user, "..")).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(world.user, ".."))).toEqual(["config.jsonc"]);
  });

  test("keeps comments, order, line ends and mode", async () => {
    using world = makeWorld({ user: '// mine\r\n{\r\n  "model": "a", // b\r\n  "timeout": "1h",\r\n}\r\n' });
    chmodSync(world.user, 0o640);
    await world.config("set", "model", "c");
    expect(readFileSync(world.user, "utf8")).toBe('// mine\r\n{\r\n  "model": "c", // b\r\n  "timeout": "1h",\r\n}\r\n');
    expect(statSync(world.user).mode & 0o777).toBe(0o640);
  });

  test("writes through a link and leaves it one", async () => {
    using world = makeWorld({ user: "" });
    const link = join(world.path, "link.jsonc");
    symlinkSync(world.user, link);
    await world.run({ env: { AGENT_CONFIG: link }, argv: ["set", "model", "opus"] });
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(world.user, "utf8")).toContain('"opus"');
  });

  test.each([
    ["model", "opus", "opus"],
    ["model", "5", "5"],
    ["maxTurns", "5", 5],
    ["timeout", "90", "90"],
    ["timeout", "10m", "10m"],
    ["permissionMode", "plan", "plan"],
    ["permissions.deny", '["Bash(rm:*)", "Write"]', ["Bash(rm:*)", "Write"]],
    ["modelAliases.fast", "haiku", "haiku"],
    ["modelAliases.v1.5", "haiku", "haiku"],
    ["modelAliases", '{"a": "b"}', { a: "b" }],
    ["maxBudgetUsd", "0.5", 0.5],
    ["fallbackModels", '["haiku"]', ["haiku"]],
    ["thinking", "off", "off"],
    ["thinking", "inherit", "inherit"],
    ["thinking", "2048", 2_048],
    ["prices.local-1.5", '{"input": 0, "output": 1}', { input: 0, output: 1 }],
  ])("%s to %s, and get gives it back", async (key, text, value) => {
    using world = makeWorld();
    expect(await world.config("set", key, text)).toMatchObject({ code: 0, stderr: "" });
    const { stdout } = await world.config("get", key, "--json");
    expect(JSON.parse(stdout)).toEqual(value);
  });

  test.each([
    ["maxTurns", "none", 'Cannot set "maxTurns" to "none": it must be a whole number from 1 up'],
    ["maxTurns", "0", 'Cannot set "maxTurns" to "0": it must be a whole number from 1 up'],
    ["maxBudgetUsd", "0", 'Cannot set "maxBudgetUsd" to "0": it must be a number of US dollars above 0'],
    ["timeout", "soon", 'Cannot set "timeout" to "soon": it must be a time such as'],
    ["permissionMode", "all", 'Cannot set "permissionMode" to "all": it must be one of'],
    ["permissions.deny", "Bash", 'Cannot set "permissions.deny" to "Bash": it must be an array of rules'],
    ["permissions.deny", '["Bsh"]', 'Invalid settings at $FILE:4:7: invalid deny rule "Bsh"'],
    ["model", "", 'Cannot set "model" to "": it must not be empty'],
    ["modle", "x", 'Unknown setting "modle": did you mean "model"?'],
    ["permissions", "{}", 'Unknown setting "permissions": the settings are model, '],
    ["__proto__.x", "1", 'Unknown setting "__proto__.x": the settings are model, '],
  ])("refuses %s = %s and writes nothing", async (key, text, message) => {
    using world = makeWorld();
    const { code, stdout, stderr } = await world.config("set", key, text);
    expect(stdout).toBe("");
    expect(stderr).toStartWith(`agent: ${message.replace("$FILE", world.user)}`);
    expect(code).toBe(2);
    expect(existsSync(world.user)).toBe(false);
  });

  test("mends a value that was wrong, and refuses a file that is wrong elsewhere", async () => {
    using world = makeWorld({ user: '{ "maxTurns": "many" }' });
    expect((await world.config("set", "model", "x")).stderr).toContain('"maxTurns" must be a whole number');
    expect(readFileSync(world.user, "utf8")).toBe('{ "maxTurns": "many" }');
    expect((await world.config("set", "maxTurns", "5")).code).toBe(0);
    expect(readFileSync(world.user, "utf8")).toBe('{ "maxTurns": 5 }');
  });

  test.each(['{ "model": ', "[1]", '{ "a": 1, "a": 2 }'])("refuses to touch %j", async (text) => {
    using world = makeWorld({ user: text });
    expect((await world.config("set", "model", "x")).code).toBe(2);
    expect(readFileSync(world.user, "utf8")).toBe(text);
  });
});

describe("unset", () => {
  test("takes the value out and keeps the rest", async () => {
    using world = makeWorld({ user: '{\n  // why\n  "model": "a",\n  "maxTurns": 5\n}\n' });
    expect(await world.config("unset", "model")).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(readFileSync(world.user, "utf8")).toBe('{\n  // why\n  "maxTurns": 5\n}\n');
  });

  test("of what is not set changes nothing, makes no file and says so", async () => {
    using world = makeWorld();
    expect(await world.config("unset", "model")).toEqual({ code: 0, stdout: "", stderr: `agent: "model" is not set in "${world.user}"\n` });
    expect(existsSync(world.user)).toBe(false);
  });
});

describe("showing", () => {
  test("path is the user's file", async () => {
    using world = makeWorld();
    expect((await world.config("path")).stdout).toBe(`${world.user}\n`);
  });

  test("ls has every setting with the layers it comes from", async () => {
    using world = makeWorld({ user: '{ "model": "opus", "permissions": { "deny": ["Write"] } }', project: '{ "permissions": { "deny": ["Edit"] } }' });
    expect((await world.config("ls")).stdout).toBe(
      [
        "model              user           opus",
        "modelAliases       built-in       {}",
        "thinking           built-in",
        "permissionMode     built-in       default",
        "permissions.allow  built-in       []",
        "permissions.ask    built-in       []",
        'permissions.deny   project, user  ["Edit","Write"]',
        "maxTurns           built-in       500",
        "maxBudgetUsd       built-in",
        "maxTokens          built-in",
        "maxToolCalls       built-in",
        "timeout            built-in",
        "idleTimeout        built-in",
        "waitForLimit       built-in       60s",
        "fallbackModels     built-in       []",
        "prices             built-in       {}",
        "outputQuota        built-in       64MiB",
        "runOutputQuota     built-in       1GiB",
        "maxOutputTokens    built-in       32000",
        "apiAttempts        built-in       5",
        "",
      ].join("\n"),
    );
  });

  test("with --json stdout is JSON alone, the warnings are on stderr (A37)", async () => {
    using world = makeWorld({ user: '{ "modle": 1 }', project: '{ "model": "x" }' });
    const { stdout, stderr, code } = await world.config("ls", "--json");
    expect(JSON.parse(stdout)).toHaveLength(20);
    expect(stderr.trimEnd().split("\n")).toHaveLength(2);
    expect(code).toBe(0);
  });

  test("get prints a text as it is, and nothing where there is no value", async () => {
    using world = makeWorld();
    expect((await world.config("get", "model")).stdout).toBe("sonnet\n");
    expect((await world.config("get", "timeout")).stdout).toBe("");
    expect((await world.config("get", "timeout", "--json")).stdout).toBe("null\n");
    expect(await world.config("get", "modelAliases.x")).toMatchObject({ code: 7, stdout: "" });
  });

  test("explain says what every layer holds and which one won", async () => {
    using world = makeWorld({ user: '{ "maxTurns": 900 }', project: '{ "maxTurns": 901 }', local: '{ "maxTurns": 10 }' });
    expect((await world.config("explain", "maxTurns")).stdout).toBe(
      [
        "maxTurns: 10",
        `  used        local     ${world.local}  10`,
        `  ignored     project   ${world.project.padEnd(world.local.length)}  901`,
        `  overridden  user      ${world.user.padEnd(world.local.length)}  900`,
        `  overridden  built-in  ${" ".repeat(world.local.length)}  500`,
        "",
      ].join("\n"),
    );
  });

  test("explain knows the environment, which goes before files", async () => {
    using world = makeWorld({ user: '{ "maxTurns": 900 }' });
    const { stdout } = await world.run({ env: { AGENT_MAX_TURNS: "20" }, argv: ["explain", "maxTurns", "--json"] });
    expect(JSON.parse(stdout)).toEqual({
      v: 1,
      key: "maxTurns",
      value: 20,
      sources: [
        { layer: "env", origin: "AGENT_MAX_TURNS", value: 20, effect: "used" },
        { layer: "user", origin: world.user, value: 900, effect: "overridden" },
        { layer: "built-in", origin: null, value: 500, effect: "overridden" },
      ],
    });
  });

  test("a variable that cannot be is refused as a run would", async () => {
    using world = makeWorld();
    const { code, stderr } = await world.run({ env: { AGENT_MAX_TURNS: "many" }, argv: ["ls"] });
    expect(stderr).toBe('agent: Cannot use AGENT_MAX_TURNS "many": it must be a whole number from 1 up\n');
    expect(code).toBe(2);
  });
});

test.each([
  [[], "agent: Missing what to do behind"],
  [["lst"], 'agent: Unknown word "lst" behind "agent config": did you mean "ls"?'],
  [["toString"], 'agent: Unknown word "toString"'],
  [["get"], 'agent: Cannot use 0 words behind "agent config get": write "agent config get KEY"'],
  [["set", "model"], 'agent: Cannot use 1 word behind "agent config set": write "agent config set KEY VALUE"'],
  [["path", "x"], 'agent: Cannot use 1 word behind "agent config path": write "agent config path"'],
  [["set", "a", "b", "c"], 'agent: Unexpected argument "c"'],
])("%j is exit 2", async (argv, message) => {
  using world = makeWorld();
  const { code, stdout, stderr } = await world.run({ argv });
  expect(stdout).toBe("");
  expect(stderr).toStartWith(message);
  expect(code).toBe(2);
});

test("what is said to be built in is what the help of run says", () => {
  for (const { flag, builtIn } of Object.values(SETTING_SOURCES)) {
    const definition: ArgumentDefinition | undefined = flag === undefined ? undefined : RUN_ARGUMENTS[flag];
    if (definition?.defaultHint !== undefined) expect({ flag, builtIn: String(builtIn) }).toEqual({ flag, builtIn: definition.defaultHint });
  }
  expect(Object.values(SETTING_SOURCES).filter(({ flag }) => flag !== undefined)).toHaveLength(13);
});

function makeWorld(texts: { readonly user?: string; readonly project?: string; readonly local?: string } = {}) {
  const dir = tempDir();
  const cwd = join(dir.path, "work");
  const user = join(dir.path, "home", "agent", "config.jsonc");
  const project = join(cwd, ".agent", "config.jsonc");
  const local = join(cwd, ".agent", "config.local.jsonc");
  mkdirSync(cwd);
  for (const [path, text] of [[user, texts.user], [project, texts.project], [local, texts.local]] as const) {
    if (text === undefined) continue;
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, text);
  }
  async function run({ argv, env = {} }: { readonly argv: readonly string[]; readonly env?: Record<string, string> }) {
    const io = memoryIo({ env: { AGENT_CONFIG: user, ...env } });
    const code = await runCli(["config", ...argv, "-C", cwd], io);
    return { code, stdout: io.stdout.text, stderr: io.stderr.text };
  }
  return { path: dir.path, user, project, local, run, config: (...argv: string[]) => run({ argv }), [Symbol.dispose]: () => dir[Symbol.dispose]() };
}
