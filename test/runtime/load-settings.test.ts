import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { loadSettings } from "../../src/runtime/load-settings.ts";
import { ROOT } from "../support/source-tree.ts";
import { tempDir } from "../support/temp-dir.ts";
import { appErrorOf } from "../support/thrown.ts";

const NOTHING = { modelAliases: {}, rules: [], ceilings: {} };

test("without files there are no settings, no warnings, and no schema is built", () => {
  using dir = tempDir();
  const script = `
    const { loadSettings } = await import("./src/runtime/load-settings.ts");
    const { builtSchemaNames } = await import("./src/core/schema.ts");
    const paths = { config: ${JSON.stringify(join(dir.path, "config.jsonc"))}, managedConfig: ${JSON.stringify(join(dir.path, "managed.jsonc"))} };
    console.log(JSON.stringify([await loadSettings({ cwd: ${JSON.stringify(dir.path)}, paths }), builtSchemaNames()]));`;
  const { stdout, stderr } = Bun.spawnSync([process.execPath, "--no-env-file", "-e", script], { cwd: ROOT });
  expect(stderr.toString()).toBe("");
  expect(JSON.parse(stdout.toString())).toEqual([{ settings: NOTHING, warnings: [] }, []]);
});

test("all layers are read", async () => {
  using world = makeWorld({
    managed: '{ "maxTurns": 100 }',
    user: '// mine\n{ "model": "opus", "timeout": "2h", }',
    project: '{ "timeout": "1h" }',
    local: '{ "permissions": { "deny": ["Bash(git push:*)"] } }',
  });
  expect(await world.load({ distrust: () => undefined })).toEqual({
    settings: {
      model: "opus",
      modelAliases: {},
      turnsMax: 100,
      timeoutMs: 3_600_000,
      rules: [{ behavior: "deny", tool: "Bash", spec: "git push:*", layer: "local" }],
      ceilings: { turnsMax: 100 },
    },
    warnings: [],
  });
});

describe("a file of the working directory", () => {
  test("can allow nothing, and says so in one line that names what was ignored (V-172, V-174)", async () => {
    using world = makeWorld({ project: '{ "model": "x", "permissionMode": "bypassPermissions", "permissions": { "allow": ["Bash"] }, "maxTurns": 9999 }' });
    const { settings, warnings } = await world.load();
    expect(settings).toEqual(NOTHING);
    expect(warnings).toEqual([
      `"model", "permissionMode", "permissions.allow", "maxTurns" in ${world.files.project} are ignored: a project file may only narrow what is allowed until the project can be trusted`,
    ]);
  });

  test("cannot set hooks or where requests go: these keys do not exist (V-172, V-174)", async () => {
    using world = makeWorld({ local: '{\n "hooks": { "SessionStart": "touch canary" },\n "env": { "ANTHROPIC_BASE_URL": "http://127.0.0.1" }\n}' });
    const { settings, warnings } = await world.load();
    expect(settings).toEqual(NOTHING);
    expect(warnings).toEqual([`Unknown key "hooks" at ${world.files.local}:2 is ignored`, `Unknown key "env" at ${world.files.local}:3 is ignored`]);
  });

  test("is the user's own where a variable names it so", async () => {
    using world = makeWorld({ project: '{ "model": "x" }' });
    const paths = { config: world.files.project, managedConfig: world.files.managed };
    expect((await loadSettings({ cwd: world.cwd, paths })).settings.model).toBe("x");
  });
});

describe("a managed file", () => {
  test("that others can write is ignored with a warning (V-187)", async () => {
    using world = makeWorld({ managed: '{ "model": "evil" }' });
    chmodSync(world.files.managed, 0o666);
    const { settings, warnings } = await world.load();
    expect(settings).toEqual(NOTHING);
    expect(warnings).toEqual([`"${world.files.managed}" is ignored: others than the owner may write to "${world.files.managed}" (mode 0666)`]);
  });

  test("that others can write is not even opened (V-187)", async () => {
    using world = makeWorld({});
    Bun.spawnSync(["mkfifo", "-m", "666", world.files.managed]);
    expect((await world.load()).warnings).toHaveLength(1);
  });
});

describe("an unknown key", () => {
  test("is told with its line and the key that was probably meant", async () => {
    using world = makeWorld({ user: '{\n  "modle": "x",\n  "permissions": {\n    "denny": []\n  }\n}' });
    expect((await world.load()).warnings).toEqual([
      `Unknown key "modle" at ${world.files.user}:2 is ignored: did you mean "model"?`,
      `Unknown key "permissions.denny" at ${world.files.user}:4 is ignored: did you mean "permissions.deny"?`,
    ]);
  });

  test("among many others is counted", async () => {
    const keys = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`key${index}`, 1]));
    using world = makeWorld({ user: JSON.stringify({ ...keys, ["x".repeat(10_000)]: 1 }) });
    const { warnings } = await world.load();
    expect(warnings).toHaveLength(6);
    expect(warnings.at(-1)).toBe(`996 more unknown keys in ${world.files.user} are ignored`);
  });
});

describe("a file that is not valid", () => {
  test.each([
    ['{\n  "model": opus\n}', "2:12: this is not a value"],
    ['{ "model": 5 }', '1:12: "model" must be a text'],
    ['{ "maxTurns": 0 }', '1:15: "maxTurns" must be a whole number from 1 up'],
    ['{ "maxTurns": "9" }', '1:15: "maxTurns" must be a whole number from 1 up'],
    ['{ "timeout": "soon" }', '1:14: "timeout" must be a time such as "90" (seconds), "500ms", "10m" or "2h", at most "24d"'],
    ['{ "timeout": "0" }', '1:14: "timeout" must be a time'],
    ['{ "timeout": "25d" }', '1:14: "timeout" must be a time'],
    ['{ "outputQuota": "many" }', '1:18: "outputQuota" must be a size such as "500kB" or "64MiB"'],
    ['{ "permissionMode": "yolo" }', '1:21: "permissionMode" must be one of default, acceptEdits, plan, dontAsk, bypassPermissions'],
    ['{ "permissions": { "deny": "Bash" } }', '1:28: "permissions.deny" must be an array of rules'],
    ['{ "permissions": { "deny": ["Bash", 5] } }', '1:37: "permissions.deny.1" must be a text such as "Bash(npm test:*)"'],
    ['{ "permissions": { "deny": ["Bsh"] } }', '1:29: invalid deny rule "Bsh": there is no tool "Bsh", did you mean "Bash"?'],
    ['{ "modelAliases": { "fast": "" } }', '1:29: "modelAliases.fast" must not be empty'],
    ['["model"]', "1:1: a configuration file holds one object"],
    ["null", "1:1: a configuration file holds one object"],
    ['{ "permissions": { "deny": ["Bash"] }, "permissions": {} }', '1:40: the key "permissions" stands twice in one object'],
  ])("%s is refused with its place", async (text, message) => {
    using world = makeWorld({ user: text });
    const error = await appErrorOf(() => world.load());
    expect(error.message).toStartWith(`Invalid settings at ${world.files.user}:${message}`);
    expect(error.reason).toBe("usage");
  });

  test("is refused in a working directory as well", async () => {
    using world = makeWorld({ project: "{" });
    expect((await appErrorOf(() => world.load())).message).toBe(`Invalid settings at ${world.files.project}:1:2: a closing brace is expected`);
  });
});

describe("what is no file to read", () => {
  test("a pipe is refused without waiting for a writer", async () => {
    using world = makeWorld({});
    Bun.spawnSync(["mkfifo", world.files.project]);
    const error = await appErrorOf(() => world.load());
    expect(error.message).toBe(`Cannot read the settings "${world.files.project}": it is not a regular file`);
    expect(error.reason).toBe("usage");
  });

  test("a directory is refused", async () => {
    using world = makeWorld({});
    mkdirSync(world.files.user);
    expect((await appErrorOf(() => world.load())).message).toContain(`Cannot read the settings "${world.files.user}"`);
  });

  test("a file of more than 1 MiB is refused, one of exactly that is read", async () => {
    using world = makeWorld({ user: `{ "model": "x" }${" ".repeat(1_048_560)}` });
    expect((await world.load()).settings.model).toBe("x");
    writeFileSync(world.files.user, `{ "model": "x" }${" ".repeat(1_048_561)}`);
    expect((await appErrorOf(() => world.load())).message).toBe(`Cannot read the settings "${world.files.user}": it is larger than 1 MiB`);
  });

  test("a link is followed, and one that leads nowhere is no file", async () => {
    using world = makeWorld({});
    const elsewhere = join(dirname(world.files.user), "elsewhere.jsonc");
    symlinkSync(elsewhere, world.files.user);
    expect((await world.load()).settings.model).toBeUndefined();
    writeFileSync(elsewhere, '{ "model": "x" }');
    expect((await world.load()).settings.model).toBe("x");
  });

  test("a file where the project's folder should be is no error", async () => {
    using dir = tempDir();
    writeFileSync(join(dir.path, ".agent"), "");
    const paths = { config: join(dir.path, "config.jsonc"), managedConfig: join(dir.path, "managed.jsonc") };
    expect(await loadSettings({ cwd: dir.path, paths })).toEqual({ settings: NOTHING, warnings: [] });
  });
});

/** A working directory with the given files; the others have their folders. */
function makeWorld(texts: { readonly managed?: string; readonly user?: string; readonly project?: string; readonly local?: string }) {
  const dir = tempDir();
  const cwd = join(dir.path, "project");
  const files = {
    managed: join(dir.path, "managed.jsonc"),
    user: join(dir.path, "config.jsonc"),
    project: join(cwd, ".agent", "config.jsonc"),
    local: join(cwd, ".agent", "config.local.jsonc"),
  };
  mkdirSync(join(cwd, ".agent"), { recursive: true });
  for (const [name, file] of Object.entries(files)) {
    const text = texts[name as keyof typeof files];
    if (text !== undefined) writeFileSync(file, text);
  }
  return {
    cwd,
    files,
    load: (options: Parameters<typeof loadSettings>[1] = {}) => loadSettings({ cwd, paths: { config: files.user, managedConfig: files.managed } }, options),
    [Symbol.dispose]: () => dir[Symbol.dispose](),
  };
}
