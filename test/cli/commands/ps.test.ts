import { describe, expect, test } from "bun:test";
import { existsSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { runCli } from "../../../src/cli/main.ts";
import { commandState } from "../../support/command-state.ts";
import { memoryIo } from "../../support/memory-io.ts";
import { startRunOwner } from "../../support/run-owner.ts";
import { taskId } from "../../support/sample-task.ts";
import { tempDir } from "../../support/temp-dir.ts";

describe("ps", () => {
  test("lists what is alive in the background, with -a everything, newest first", async () => {
    using state = commandState();
    await state.add("a00000001", { type: "local_agent", isBackgrounded: false, startTime: 1 });
    await state.add("b00000002", { startTime: 2 });
    await state.add("b00000003", { startTime: 3 });
    await state.end("b00000003", "ok");
    expect(await state.run("ps", "-q")).toEqual({ code: 0, stdout: "b00000002\n", stderr: "" });
    expect(await state.run("ps", "-aq")).toEqual({ code: 0, stdout: "b00000003\nb00000002\na00000001\n", stderr: "" });
  });

  test("shows how far an agent has come, also after its end", async () => {
    using state = commandState();
    await state.add("a00000001", { type: "local_agent" });
    const detail = { turnCount: 3, costUsd: 0.25, progress: { tokenCount: 1_500, toolUseCount: 2, lastActivity: "Bash make" } };
    await state.ledger.patchTask(taskId("a00000001"), 1, { detail });
    expect((await state.run("ps")).stdout).toMatch(/^a00000001 .* running .* 3 +1\.5k +\$0\.25 +Bash make$/m);
    await state.end("a00000001", "ok", { detail: { turnCount: 4 } });
    expect((await state.run("ps", "-a")).stdout).toMatch(/^a00000001 .* completed .* 4 +1\.5k +\$0\.25 +Bash make$/m);
  });

  test("--json is an array of records with the same keys for every task", async () => {
    using state = commandState();
    await state.add("a00000001", { type: "local_agent", name: "nightly", detail: { turnCount: 1, costUsd: null } });
    await state.add("b00000002", { startTime: 900 });
    await state.end("b00000002", "failed", { error: "Exit code 1" });
    const { stdout } = await state.run("ps", "-a", "--json");
    const [agent, shell] = JSON.parse(stdout);
    expect(agent).toMatchObject({ id: "a00000001", name: "nightly", status: "running", exit: null, turnCount: 1, tokenCount: null, costUsd: null });
    expect(shell).toMatchObject({ id: "b00000002", name: null, status: "failed", exit: { code: 1, reason: "failed" }, error: "Exit code 1" });
    expect(Object.keys(agent)).toEqual(Object.keys(shell));
  });

  test("filters choose, and one on the status looks at ended tasks too", async () => {
    using state = commandState();
    const parent = await state.add("a00000001", { type: "local_agent", name: "lead" });
    await state.add("b00000002", { parentTaskId: parent.id });
    await state.add("b00000003");
    await state.end("b00000003", "failed");
    const ids = async (...filters: string[]) => (await state.run("ps", "-q", ...filters.flatMap((filter) => ["--filter", filter]))).stdout.trim().split("\n");
    expect(await ids("status=failed")).toEqual(["b00000003"]);
    expect(await ids("parent=lead")).toEqual(["b00000002"]);
    expect(await ids("type=local_agent", "type=local_bash")).toEqual(["b00000002", "a00000001"]);
    expect(await state.run("ps", "--filter", "parent=nobody")).toMatchObject({ code: 7, stdout: "" });
    expect(await state.run("ps", "--filter", "color=red")).toMatchObject({ code: 2, stdout: "" });
  });

  test("where there is no state the list is empty and nothing is created", async () => {
    using directory = tempDir();
    const path = join(directory.path, "state");
    const run = async (...argv: string[]) => {
      const io = memoryIo({ env: { AGENT_STATE_DIR: path } });
      return { code: await runCli(argv, io), stdout: io.stdout.text, stderr: io.stderr.text };
    };
    expect(await run("ps", "--json")).toEqual({ code: 0, stdout: "[]\n", stderr: "" });
    expect(await run("ps", "-q")).toEqual({ code: 0, stdout: "", stderr: "" });
    for (const command of ["inspect", "logs", "wait", "stop", "rm"]) expect(await run(command, "b00000001")).toMatchObject({ code: 7, stdout: "" });
    expect(await run("stop", "--all")).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(existsSync(path)).toBe(false);
  });

  test("a task whose owner was killed is not shown as running", async () => {
    using state = commandState();
    await using owner = await startRunOwner(state.path);
    expect((await state.run("ps", "-q")).stdout.trim().split("\n").toSorted()).toEqual(["a00000000", "b00000000"]);
    await owner.kill();
    expect((await state.run("ps", "-q")).stdout).toBe("");
    const [task] = JSON.parse((await state.run("inspect", "b00000000")).stdout);
    expect(task).toMatchObject({ status: "failed", exit: { code: 1, reason: "owner_lost" } });
  });

  test("when cleaning up behind a dead owner fails, that is said and the list is there", async () => {
    using state = commandState();
    await using owner = await startRunOwner(state.path);
    await owner.kill();
    const lock = join(state.path, "owners", `${owner.runId}.lock`);
    renameSync(lock, `${lock}.moved`);
    symlinkSync(`${lock}.moved`, lock);
    const { code, stdout, stderr } = await state.run("ps", "-q");
    expect({ code, ids: stdout.trim().split("\n").toSorted() }).toEqual({ code: 0, ids: ["a00000000", "b00000000"] });
    expect(stderr).toMatch(/^agent: Cannot clean up behind runs that are gone: .*it is a link\n$/);
  });

  test("--tree shows below each task what it started, and lists for machines stay as they are", async () => {
    using state = commandState();
    const root = await state.add("a00000001", { type: "local_agent" });
    await state.add("b00000002", { parentTaskId: root.id, startTime: 2_000 });
    await state.add("b00000003", { startTime: 3_000 });
    const firstColumn = (stdout: string) => stdout.trimEnd().split("\n").map((line) => /^ *\S+/.exec(line)?.[0]);
    expect(firstColumn((await state.run("ps", "--tree")).stdout)).toEqual(["ID", "b00000003", "a00000001", "  b00000002"]);
    expect((await state.run("ps", "--tree", "-q")).stdout).toBe((await state.run("ps", "-q")).stdout);
    expect((await state.run("ps", "--tree", "--json")).stdout).toBe((await state.run("ps", "--json")).stdout);
  });

  test("--pill says in a few words what runs, and nothing where nothing runs (S-165)", async () => {
    using state = commandState();
    expect(await state.run("ps", "--pill")).toEqual({ code: 0, stdout: "", stderr: "" });
    await state.add("b00000001");
    await state.add("b00000002", { detail: { command: "tail -f log", kind: "monitor" } });
    await state.add("a00000003", { type: "local_agent", isBackgrounded: false });
    expect((await state.run("ps", "--pill")).stdout).toBe("1 shell, 1 monitor\n");
    expect((await state.run("ps", "--pill", "--filter", "type=local_agent")).stdout).toBe("");
    await state.add("a00000004", { type: "local_agent" });
    expect((await state.run("ps", "--pill")).stdout).toBe("3 background tasks\n");
    for (const id of ["b00000001", "b00000002", "a00000004"]) await state.end(id, "ok");
    expect((await state.run("ps", "--pill")).stdout).toBe("");
  });

  test("on a terminal lines end at its edge", async () => {
    using state = commandState();
    await state.add("b00000001", { description: "x".repeat(70) });
    const widest = async (options: Parameters<typeof state.start>[1]) => {
      const { stdout } = await state.start(["ps"], options).ended;
      return Math.max(...stdout.split("\n").map((line) => line.length));
    };
    expect(await widest({ isStdoutTty: true, env: { COLUMNS: "60" }, columnsOf: () => 70 })).toBe(60);
    expect(await widest({ isStdoutTty: true, columnsOf: () => 70 })).toBe(70);
    expect(await widest({ isStdoutTty: true })).toBeGreaterThan(100);
    expect(await widest({ env: { COLUMNS: "60" }, columnsOf: () => 70 })).toBeGreaterThan(100);
  });
});
