import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { allVariants, FLAG_NAMES, FLAGS, type FlagName, parseFlags, VARIANT_FLAG_NAMES, variantName } from "../../build/flags.ts";
import { TASK_TYPES } from "../../src/core/task.ts";
import { localWorkflowDetailSchema } from "../../src/tasks/local_workflow/state.ts";
import { monitorMcpDetailSchema } from "../../src/tasks/monitor_mcp/state.ts";
import { CRASH_POINTS } from "../../src/platform/test-hooks/crash-point.ts";
import { executable } from "../support/executable.ts";

/** Strings of a part that no other part of the program has. */
const STRINGS: Readonly<Record<FlagName, readonly string[]>> = {
  WORKFLOW_SCRIPTS: ["Cannot run a workflow", "localWorkflowDetail", ...Object.keys(localWorkflowDetailSchema().shape)],
  MONITOR_TOOL: ["Cannot start a monitor", "monitorMcpDetail", ...Object.keys(monitorMcpDetailSchema().shape)],
  TEST_HOOKS: ["AGENT_TEST_", ...CRASH_POINTS],
};
const TYPES: Readonly<Partial<Record<FlagName, string>>> = { WORKFLOW_SCRIPTS: "local_workflow", MONITOR_TOOL: "monitor_mcp" };

const BUILDS = [...allVariants(), parseFlags(["TEST_HOOKS=on"])].map((flags) => [variantName(flags), flags] as const);

describe.each(BUILDS)("variant %s", (variant, flags) => {
  const manifest = JSON.parse(readFileSync(join(dirname(executable(variant)), "agent.manifest.json"), "utf8"));

  test.each([...FLAG_NAMES])("modules of %s are in the executable exactly when it is on (S-006)", (name) => {
    const paths: string[] = manifest.modules.map((module: { path: string }) => module.path);
    expect(paths).toContain("src/main.ts");
    expect(paths.some((path) => path.startsWith(FLAGS[name].folder))).toBe(flags[name]);
  });

  test.each([...FLAG_NAMES])("strings of %s are in the executable exactly when it is on (S-005)", (name) => {
    const bytes = readFileSync(executable(variant));
    expect(STRINGS[name].filter((text) => bytes.includes(text))).toEqual(flags[name] ? [...STRINGS[name]] : []);
  });

  test("the manifest describes the executable beside it", () => {
    const bytes = readFileSync(executable(variant));
    expect(manifest).toMatchObject({ flags, bunVersion: Bun.version, bytes: bytes.length });
    expect(manifest.sha256).toBe(new Bun.CryptoHasher("sha256").update(bytes).digest("hex"));
    expect(manifest.absentStrings).toEqual(FLAG_NAMES.filter((name) => !flags[name]).map((name) => FLAGS[name].marker));
    expect(manifest.modules.filter((module: { path: string }) => module.path.startsWith(".."))).toEqual([]);
  });

  test("it says which flags it was built with and which task types it has (S-001)", () => {
    const { stdout, exitCode } = Bun.spawnSync([executable(variant), "features", "--json"]);
    const missing = VARIANT_FLAG_NAMES.filter((name) => !flags[name]).map((name) => TYPES[name]);
    const shown = Object.fromEntries(VARIANT_FLAG_NAMES.map((name) => [name, flags[name]]));
    expect(JSON.parse(stdout.toString())).toMatchObject({ flags: shown, task_types: TASK_TYPES.filter((type) => !missing.includes(type)) });
    expect(exitCode).toBe(0);
  });

  test.each([
    ["workflow", "WORKFLOW_SCRIPTS"],
    ["monitor", "MONITOR_TOOL"],
  ] as const)("agent %s says whether its part is missing here or not built yet, and is no command in help", (command, name) => {
    const { stdout, stderr, exitCode } = Bun.spawnSync([executable(variant), command, "--any", "word"]);
    expect(stderr.toString()).toContain(flags[name] ? "not built yet" : `not in this build (${name}=off)`);
    expect([exitCode, stdout.toString()]).toEqual([2, ""]);
    expect(Bun.spawnSync([executable(variant), "--help"]).stdout.toString()).not.toContain(command);
  });
});
