import { describe, expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { allVariants, variantName } from "../../build/flags.ts";
import { executable } from "../support/executable.ts";
import { tempDir } from "../support/temp-dir.ts";

/** Files that a cloned repository may hold, and that a program on Bun would read where it starts. */
const DIRECTORIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "a bunfig.toml that preloads code (V-168, A112)": {
    "bunfig.toml": 'preload = ["./preload.ts"]\n[define]\nWORKFLOW_SCRIPTS = "false"\n',
    "preload.ts": 'require("node:fs").writeFileSync("canary", ""); console.log("canary");',
  },
  "a bunfig.toml that preloads what does not exist (A112)": { "bunfig.toml": 'preload = ["./missing.ts"]\n' },
  "a bunfig.toml that is none": { "bunfig.toml": "[[[" },
  "environment files (V-169, A111)": Object.fromEntries(
    [".env", ".env.local", ".env.development", ".env.production", ".env.test"].map((name) => [
      name,
      [
        "ANTHROPIC_BASE_URL=http://127.0.0.1:9",
        "ANTHROPIC_API_KEY=canary",
        "NODE_TLS_REJECT_UNAUTHORIZED=0",
        "NODE_ENV=development",
        "AGENT_STATE_DIR=./canary",
        "AGENT_MODEL=canary",
        "BUN_OPTIONS=--preload ./canary.ts",
        "FORCE_COLOR=1",
      ].join("\n"),
    ]),
  ),
  "a tsconfig.json and a package.json": {
    "tsconfig.json": '{ "compilerOptions": { "paths": { "*": ["./canary/*"] }, "jsxImportSource": "./canary" } }',
    "package.json": '{ "name": "agent", "version": "9.9.9-canary", "type": "commonjs", "imports": { "#*": "./canary/*" } }',
  },
  "a tsconfig.json and a package.json that are none": { "tsconfig.json": "{", "package.json": "{" },
};
const COMMANDS = [["version"], ["--version"], ["version", "--json"], ["--help"], ["features"], ["features", "--json"]] as const;

describe.each(allVariants().map(variantName))("variant %s", (variant) => {
  test.each(Object.entries(DIRECTORIES))("nothing changes in a directory with %s", (_name, files) => {
    using empty = tempDir();
    using hostile = tempDir();
    for (const [name, text] of Object.entries(files)) writeFileSync(join(hostile.path, name), text);
    const before = readdirSync(hostile.path);
    for (const command of COMMANDS) {
      const expected = run(variant, command, empty.path);
      expect(expected).toMatchObject({ exitCode: 0, stderr: "" });
      expect(run(variant, command, hostile.path)).toEqual(expected);
    }
    expect(readdirSync(hostile.path)).toEqual(before);
  });
});

function run(variant: string, args: readonly string[], cwd: string) {
  const { stdout, stderr, exitCode } = Bun.spawnSync([executable(variant), ...args], { cwd });
  return { stdout: stdout.toString(), stderr: stderr.toString(), exitCode };
}
