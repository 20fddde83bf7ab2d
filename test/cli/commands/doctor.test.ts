import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, openSync, closeSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCli } from "../../../src/cli/main.ts";
import { machineChecks } from "../../../src/runtime/doctor/machine-checks.ts";
import { openLedger } from "../../../src/store/ledger.ts";
import { takeNewOwnerLock } from "../../../src/store/owner-lock.ts";
import { memoryIo } from "../../support/memory-io.ts";
import { sampleRun, sampleTask, taskId } from "../../support/sample-task.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { testState } from "../../support/test-state.ts";

describe("on a machine where nothing ran yet", () => {
  test("all is well, and nothing is created", async () => {
    using dir = tempDir();
    const { code, checks } = await doctor(dir.path);
    expect(checks.filter(({ status }) => status !== "ok")).toEqual([]);
    expect(checks.map(({ name }) => name)).toEqual([
      "state folder",
      "state size",
      "free space",
      "runtime folder",
      "cache folder",
      "ledger",
      "settings",
      "model",
      "shell",
      "search",
      "/proc",
      "environment",
      "clock",
      "supervision",
    ]);
    expect(code).toBe(0);
    expect(readdirSync(dir.path)).toEqual([]);
  });

  test("people get a line for each, and what to do below those that are not well", async () => {
    using dir = tempDir();
    const io = memoryIo({ env: { ...places(dir.path), BUN_OPTIONS: "--preload ./x.js", NODE_OPTIONS: "", ANTHROPIC_API_KEY: undefined } });
    expect(await runCli(["doctor"], io)).toBe(0);
    expect(io.stdout.text).toContain(`ok    state folder: "${join(dir.path, "state")}" does not exist yet; the first run makes it\n`);
    expect(io.stdout.text).toContain("warn  environment: BUN_OPTIONS is set: it can load other code into this program\n      What to do: unset BUN_OPTIONS\n");
    expect(io.stdout.text).toContain("warn  environment: NODE_OPTIONS is set");
    expect(io.stdout.text).toContain("warn  model: Cannot reach a model");
    expect(io.stderr.text).toBe("");
  });
});

describe("the state folder", () => {
  test("that lets others in is a failure, exit 1", async () => {
    using dir = tempDir();
    mkdirSync(join(dir.path, "state"));
    chmodSync(join(dir.path, "state"), 0o755);
    const { code, checks } = await doctor(dir.path);
    expect(checks.find(({ name }) => name === "state folder")).toMatchObject({ status: "fail", message: expect.stringContaining("its mode is 0755"), advice: expect.stringContaining("AGENT_STATE_DIR") });
    expect(code).toBe(1);
  });

  test("that cannot be made is a failure", async () => {
    using dir = tempDir();
    writeFileSync(join(dir.path, "file"), "");
    const { code, checks } = await doctor(dir.path, { AGENT_STATE_DIR: join(dir.path, "file", "state") });
    expect(checks.find(({ status }) => status === "fail")?.message).toContain(`"${join(dir.path, "file")}" is no folder`);
    expect(code).toBe(1);
  });

  test("in a place that cannot be is exit 2", async () => {
    const io = memoryIo({ env: { AGENT_STATE_DIR: "relative" } });
    expect(await runCli(["doctor"], io)).toBe(2);
    expect(io.stderr.text).toContain('Cannot use AGENT_STATE_DIR "relative"');
  });
});

describe("the ledger", () => {
  test("is sound, and runs with a living process are not lost", async () => {
    using state = testState();
    await addRun(state, "run-1", "a00000000");
    const lock = takeNewOwnerLock(state.directory, "run-1");
    const { code, checks } = await doctorOf(state.path);
    expect(checks.filter(({ name }) => name === "ledger" || name === "lost runs")).toMatchObject([
      { name: "ledger", status: "ok" },
      { name: "lost runs", status: "ok", message: "1 running, each with its process" },
    ]);
    expect(code).toBe(0);
    lock.release();
  });

  test("counts runs whose process is gone, and leaves them as they are", async () => {
    using state = testState();
    await addRun(state, "run-1", "a00000000");
    await addRun(state, "run-2", "a00000001");
    await addRun(state, "run-3", "a00000002");
    const lock = takeNewOwnerLock(state.directory, "run-1");
    takeNewOwnerLock(state.directory, "run-2").release();
    const before = readdirSync(join(state.path, "owners"));
    const { code, checks } = await doctorOf(state.path);
    expect(checks.find(({ name }) => name === "lost runs")).toMatchObject({ status: "warn", message: "2 of 3 running: the process is gone" });
    expect(code).toBe(0);
    expect(readdirSync(join(state.path, "owners"))).toEqual(before);
    const ledger = openLedger(state.directory);
    expect(ledger.listTasks({ all: true }).map(({ status }) => status)).toEqual(["running", "running", "running"]);
    ledger.close();
    lock.release();
  });

  test("that is damaged is a failure", async () => {
    using state = testState();
    closeSync(openSync(join(state.path, "ledger.db"), "w", 0o600));
    writeFileSync(join(state.path, "ledger.db"), "this is no database, and long enough to be taken for one".repeat(100));
    const { code, checks } = await doctorOf(state.path);
    expect(checks.find(({ name }) => name === "ledger")).toMatchObject({ status: "fail", message: expect.stringContaining("ledger.db") });
    expect(code).toBe(1);
  });
});

describe("settings and model", () => {
  test("a broken file is a failure that names its place", async () => {
    using dir = tempDir();
    writeFileSync(join(dir.path, "config.jsonc"), "{");
    const { code, checks } = await doctor(dir.path);
    expect(checks.find(({ name }) => name === "settings")).toMatchObject({ status: "fail", message: `Invalid settings at ${join(dir.path, "config.jsonc")}:1:2: a closing brace is expected` });
    expect(code).toBe(1);
  });

  test("the service is named, the key is not", async () => {
    using dir = tempDir();
    const io = memoryIo({ env: { ...places(dir.path), ANTHROPIC_API_KEY: "sk-not-for-print", ANTHROPIC_BASE_URL: "http://127.0.0.1:9" } });
    expect(await runCli(["doctor"], io)).toBe(0);
    expect(io.stdout.text).toContain("http://127.0.0.1:9, with an API key; it was not contacted");
    expect(io.stdout.text).not.toContain("sk-not-for-print");
  });

  test("a model that needs no service is named", async () => {
    using dir = tempDir();
    const { checks } = await doctor(dir.path, { AGENT_MODEL: "scripted:demo" });
    expect(checks.find(({ name }) => name === "model")).toMatchObject({ status: "ok", message: '"scripted:demo" needs no service' });
  });
});

test("a clock that is before the program was made is told", () => {
  const check = machineChecks({ env: {}, now: 0 }).find(({ name }) => name === "clock");
  expect(check).toMatchObject({ status: "warn", message: "it says 1970-01-01T00:00:00.000Z, which is before this program was made" });
});

type Checks = readonly { readonly name: string; readonly status: string; readonly message: string; readonly advice: string | null }[];

function places(path: string): Record<string, string> {
  return {
    AGENT_STATE_DIR: join(path, "state"),
    AGENT_RUNTIME_DIR: join(path, "runtime"),
    AGENT_CACHE_DIR: join(path, "cache"),
    AGENT_CONFIG: join(path, "config.jsonc"),
  };
}

async function doctor(path: string, env: Record<string, string> = {}): Promise<{ readonly code: number; readonly checks: Checks }> {
  const io = memoryIo({ env: { ANTHROPIC_API_KEY: "key", ...places(path), ...env } });
  const code = await runCli(["doctor", "--json"], io);
  const { ok, checks } = JSON.parse(io.stdout.text);
  expect(ok).toBe(code === 0);
  return { code, checks };
}

async function doctorOf(statePath: string) {
  return await doctor(join(statePath, ".."), { AGENT_STATE_DIR: statePath });
}

async function addRun(state: ReturnType<typeof testState>, runId: string, id: string): Promise<void> {
  const ledger = openLedger(state.directory);
  await ledger.insertRun(sampleRun({ runId, rootTaskId: taskId(id) }), sampleTask({ id: taskId(id), runId, type: "local_agent" }), { durable: false });
  ledger.close();
}
