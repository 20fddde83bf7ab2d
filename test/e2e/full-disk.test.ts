import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readTranscript } from "../../src/store/read-transcript.ts";
import { events, eventsOfType, runResult } from "../support/run-events.ts";
import { smallDisk, type SmallDisk } from "../support/small-disk.ts";
import { type AgentUser, agentUser } from "../support/spawn-agent.ts";
import { waitFor } from "../support/wait-for.ts";

/** A build in which a run waits for a disk as long as a variable says. */
const VARIANT = "test-hooks";
const MAY_ALL = ["--permission-mode", "bypassPermissions"];
const DONE = { reply: [{ text: "done" }] };

interface DiskUser {
  readonly user: AgentUser;
  readonly disk: SmallDisk;
  /** The environment with the state folder on the disk. */
  readonly env: Record<string, string>;
  readonly state: string;
  [Symbol.dispose](): void;
}

function onDisk(options: { readonly size?: string; readonly inodes?: number; readonly waitMs?: number }, variant = VARIANT): DiskUser {
  const user = agentUser(variant);
  const disk = smallDisk(options);
  const state = join(disk.path, "state");
  return {
    user,
    disk,
    state,
    env: { AGENT_STATE_DIR: state, AGENT_TEST_STORAGE_WAIT_MS: String(options.waitMs ?? 500) },
    [Symbol.dispose]() {
      disk[Symbol.dispose]();
      user[Symbol.dispose]();
    },
  };
}

function bash(command: string, options: object = {}): object {
  return { reply: [{ tool: "Bash", input: { command, ...options } }] };
}

/** A command that says when it is there and goes on when it may. */
const PAUSE = "touch here; while [ ! -e go ]; do sleep 0.02; done";

async function atPause(user: AgentUser, act: () => void | Promise<void>): Promise<void> {
  await waitFor(() => existsSync(join(user.project, "here")), { timeoutMs: 20_000 });
  await act();
  writeFileSync(join(user.project, "go"), "");
}

function shownTo(stdout: string): string[] {
  return eventsOfType(events(stdout), "tool.completed").map(({ content }) => content);
}

async function records(user: AgentUser, env: Record<string, string>) {
  return JSON.parse((await user.run(["ps", "-a", "--json"], { env })).stdout) as { type: string; status: string; error: string | null; exit: { reason: string } | null }[];
}

describe("a disk that is full", () => {
  test("a task whose own output finds no room fails alone and once; the ballast lets that be recorded (A01, V-214, V-216)", async () => {
    using disk = onDisk({ size: "24m" });
    const { user, env, state } = disk;
    await user.run(["run", "-m", user.script([DONE]), "go"], { env });
    expect(existsSync(join(state, "ballast"))).toBe(true);
    const script = user.script([
      bash("trap 'touch ended; exit 1' TERM; head -c 60000000 /dev/zero; sleep 60", { run_in_background: true }),
      bash("while [ ! -e ended ]; do sleep 0.02; done; echo the other one works"),
      DONE,
      // The notice of the task that failed may come after the last word.
      DONE,
    ]);
    const ended = await user.run(["run", "--output-format", "stream-json", "--output-quota", "200MB", ...MAY_ALL, "-m", script, "go"], { env });
    expect(runResult(ended.stdout)).toMatchObject({ status: "completed", exit: { code: 0 } });
    expect(shownTo(ended.stdout)[1]).toBe("the other one works");
    const [flood] = (await records(user, env)).filter(({ exit }) => exit?.reason === "storage");
    expect(flood).toMatchObject({ type: "local_bash", status: "failed", error: expect.stringMatching(/^Cannot write the output of task "b[0-9a-z]{8}": the disk is full \(ENOSPC\)$/) });
    expect(ended.stderr.split("ENOSPC").length).toBeLessThanOrEqual(2);
    expect(existsSync(join(state, "ballast"))).toBe(false);
  });

  test("a conversation that cannot be written ends with 14 and a result, and what was there stays whole (A01, V-214)", async () => {
    using disk = onDisk({ size: "16m" });
    const { user, env, state } = disk;
    const running = user.start(["run", "--output-format", "stream-json", ...MAY_ALL, "-m", user.script([bash(PAUSE), DONE]), "go"], { env });
    let filledAt = 0;
    await atPause(user, () => {
      disk.disk.fill();
      filledAt = performance.now();
    });
    const ended = await running.ended;
    const result = runResult(ended.stdout);
    expect(result).toMatchObject({ status: "failed", exit: { code: 14, reason: "storage" }, error: { message: expect.stringContaining("the disk is full") } });
    expect(ended.exitCode).toBe(14);
    expect(performance.now() - filledAt).toBeGreaterThan(500);
    expect(performance.now() - filledAt).toBeLessThan(10_000);
    disk.disk.clear();
    // Whoever looks next finds a sound record, and a conversation that can be gone on with.
    expect((await records(user, env)).map(({ status }) => status)).toEqual(["failed", "failed"]);
    const [session = ""] = readdirSync(join(state, "sessions"));
    expect(readTranscript(join(state, "sessions", session, "transcript.jsonl")).length).toBeGreaterThan(2);
    const resumed = await user.run(["run", "--continue", "-m", user.script([DONE], { repeatLast: true }), "go on"], { env });
    expect([resumed.exitCode, resumed.stdout]).toEqual([0, "done\n"]);
  });

  test("that has room again in time costs nothing: the run goes on, without a gap or a double line (V-250)", async () => {
    using disk = onDisk({ size: "16m", waitMs: 20_000 });
    const { user, env, state } = disk;
    const running = user.start(["run", "--output-format", "json", ...MAY_ALL, "-m", user.script([bash(PAUSE), bash("echo second"), DONE]), "go"], { env });
    await atPause(user, () => disk.disk.fill());
    await waitFor(() => running.stderrSoFar().includes("tried again for 20 s"), { timeoutMs: 20_000 });
    disk.disk.clear();
    const ended = await running.ended;
    expect(runResult(ended.stdout)).toMatchObject({ status: "completed", result: "done", exit: { code: 0 }, warnings: [expect.stringContaining("the disk is full")] });
    const [session = ""] = readdirSync(join(state, "sessions"));
    const entries = readTranscript(join(state, "sessions", session, "transcript.jsonl"));
    expect(entries.slice(1).map(({ parentUuid }) => String(parentUuid))).toEqual(entries.slice(0, -1).map(({ uuid }) => uuid));
    expect(entries.filter(({ type }) => type === "assistant")).toHaveLength(3);
  });

  test("can be made room on with rm and gc, with the ballast and without it", async () => {
    using disk = onDisk({ size: "24m" });
    const { user, env, state } = disk;
    for (const name of ["one", "two"]) await user.run(["run", "--name", name, "--exec", "--", "head", "-c", "100000", "/dev/zero"], { env });
    disk.disk.fill();
    expect(existsSync(join(state, "ballast"))).toBe(true);
    expect(await user.run(["rm", "one"], { env })).toMatchObject({ exitCode: 0, stderr: "" });
    disk.disk.clear();
    rmSync(join(state, "ballast"), { force: true });
    // Enough to open the ledger, not enough to change it: what is removed makes the room.
    disk.disk.fill(40_960);
    expect(await user.run(["gc", "--older", "0s"], { env })).toMatchObject({ exitCode: 0, stderr: "", stdout: expect.stringMatching(/^Removed 1 task, 1 session: /) });
    expect(await records(user, env)).toEqual([]);
  });

  test("from the start is one clear message and exit 14", async () => {
    using disk = onDisk({ size: "2m" });
    disk.disk.fill();
    for (const args of [["run"], ["run", "-d"]]) {
      const ended = await disk.user.run([...args, "-m", "scripted:demo", "hello"], { env: disk.env });
      expect([ended.exitCode, ended.stdout]).toEqual([14, ""]);
      expect(ended.stderr).toMatch(/^agent: .*(ENOSPC|no space left|disk is full).*\n$/i);
    }
  });

  test("a release build waits 30 s", async () => {
    using disk = onDisk({ size: "16m" }, "full");
    const { user, env } = disk;
    const running = user.start(["run", "--output-format", "json", ...MAY_ALL, "-m", user.script([bash(PAUSE), DONE]), "go"], { env });
    let filledAt = 0;
    await atPause(user, () => {
      disk.disk.fill();
      filledAt = performance.now();
    });
    const ended = await running.ended;
    expect(runResult(ended.stdout)).toMatchObject({ status: "failed", exit: { code: 14, reason: "storage" } });
    expect(performance.now() - filledAt).toBeGreaterThan(29_900);
    expect(ended.stderr).toContain("tried again for 30 s");
  });
});

describe("a disk without inodes", () => {
  test("some tasks start, the others are refused one by one, none is half there, and the run goes on (V-217)", async () => {
    using disk = onDisk({ size: "50m", inodes: 60 });
    const { user, env, state } = disk;
    const calls = Array.from({ length: 60 }, () => ({ tool: "Bash", input: { command: "echo $AGENT_TASK_ID", run_in_background: true } }));
    const script = user.script([{ reply: calls }, DONE], { repeatLast: true });
    const ended = await user.run(["run", "--output-format", "stream-json", ...MAY_ALL, "-m", script, "go"], { env });
    expect(runResult(ended.stdout)).toMatchObject({ status: "completed", exit: { code: 0 } });
    const shown = shownTo(ended.stdout);
    const refused = shown.filter((text) => text.startsWith("Cannot create the output file of a command: the disk is full (ENOSPC)"));
    const started = shown.filter((text) => text.startsWith("Started in the background"));
    expect([refused.length + started.length, refused.length > 5, started.length > 5]).toEqual([60, true, true]);
    const tasks = (await records(user, env)).filter(({ type }) => type === "local_bash");
    // Those that the run did not wait for were ended with it.
    expect(tasks.filter(({ status }) => status === "completed" || status === "killed")).toHaveLength(started.length);
    expect(tasks).toHaveLength(started.length);
    expect(readdirSync(join(state, "tasks")).filter((name) => name.startsWith("b"))).toHaveLength(started.length);
  });
});

describe("where outputs have no place (A07)", () => {
  test("a command in the foreground works from memory and says so, one in the background is refused with one clear message", async () => {
    using disk = onDisk({ size: "20m" });
    const { user, env, state } = disk;
    const script = user.script([
      bash(`rm -rf ${state}/tasks; echo gone`),
      bash("seq 1 100000; echo the end; exit 3"),
      bash("sleep 60", { run_in_background: true }),
      DONE,
    ]);
    const ended = await user.run(["run", "--output-format", "stream-json", ...MAY_ALL, "-m", script, "go"], { env });
    expect(runResult(ended.stdout)).toMatchObject({ status: "completed", exit: { code: 0 } });
    const [, foreground = "", background] = shownTo(ended.stdout);
    expect(foreground).toStartWith("1\n2\n3\n");
    expect(foreground).toContain("\nthe end\nExit code 3\nOutput beyond what is shown here was not kept: Cannot create the output file of a command: it does not exist (ENOENT)");
    expect(background).toBe("Cannot create the output file of a command: it does not exist (ENOENT)");
  });

  test("a temporary folder that is missing, or a home that is not there, keeps nothing from working (V-254)", async () => {
    using user = agentUser();
    const script = user.script([bash("echo shown"), DONE]);
    const env = { TMPDIR: "/no/such/folder", HOME: undefined };
    const ended = await user.run(["run", "--output-format", "stream-json", ...MAY_ALL, "-m", script, "go"], { env });
    expect([ended.exitCode, shownTo(ended.stdout)]).toEqual([0, ["shown"]]);
  });
});

describe("a state folder that goes away", () => {
  test.each([
    ["the whole folder", ""],
    ["the ledger", "/ledger.db"],
    ["the sessions", "/sessions"],
  ])("%s: the run ends at once with 14 and a result that says so", async (_what, path) => {
    using disk = onDisk({ size: "20m", waitMs: 30_000 });
    const { user, env, state } = disk;
    const script = user.script([bash(`rm -rf ${state}${path}`), DONE]);
    const ended = await user.run(["run", "--output-format", "json", ...MAY_ALL, "-m", script, "go"], { env });
    expect(runResult(ended.stdout)).toMatchObject({ status: "failed", exit: { code: 14, reason: "storage" }, error: { message: expect.stringContaining("removed") } });
    expect(ended.exitCode).toBe(14);
  });

  test("events alone: a warning, and the run goes on", async () => {
    using disk = onDisk({ size: "20m" });
    const { user, env, state } = disk;
    const script = user.script([bash(`rm -rf ${state}/sessions/*/events`), DONE]);
    const ended = await user.run(["run", "--output-format", "json", ...MAY_ALL, "-m", script, "go"], { env });
    expect(runResult(ended.stdout)).toMatchObject({ status: "completed", exit: { code: 0 }, warnings: [expect.stringContaining("The event log could not be written")] });
  });

  test("a disk that can only be read is refused from the start (V-251)", async () => {
    using disk = onDisk({ size: "20m" });
    const { user, env } = disk;
    await user.run(["run", "-m", user.script([DONE]), "go"], { env });
    expect(Bun.spawnSync(["mount", "-o", "remount,ro", disk.disk.path]).exitCode).toBe(0);
    const ended = await user.run(["run", "-m", user.script([DONE]), "go"], { env });
    expect([ended.exitCode, ended.stdout]).toEqual([14, ""]);
    expect(ended.stderr).toMatch(/^agent: .*(EROFS|read-only).*\n$/);
    Bun.spawnSync(["mount", "-o", "remount,rw", disk.disk.path]);
  });
});

describe("too many open files", () => {
  test("some tasks are refused one by one, and the run goes on", async () => {
    using user = agentUser(VARIANT);
    const calls = Array.from({ length: 30 }, () => ({ tool: "Bash", input: { command: `while [ ! -e ${user.project}/go ]; do sleep 0.05; done`, run_in_background: true } }));
    const script = user.script([{ reply: calls }, bash(`touch ${user.project}/go`), DONE], { repeatLast: true });
    const command = `ulimit -n 60; agent run --output-format stream-json --permission-mode bypassPermissions -m ${script} go`;
    const ended = await user.shell(command, { env: { AGENT_TEST_STORAGE_WAIT_MS: "500" } });
    const shown = shownTo(ended.stdout);
    expect(runResult(ended.stdout)).toMatchObject({ status: "completed", exit: { code: 0 } });
    expect(shown.filter((text) => text.startsWith("Started in the background")).length).toBeGreaterThan(3);
    const refused = shown.slice(0, 30).filter((text) => !text.startsWith("Started in the background"));
    expect(refused.length).toBeGreaterThan(0);
    for (const text of refused) expect(text).toMatch(/too many (open )?files|EMFILE/i);
    const listed = JSON.parse((await user.run(["ps", "-a", "--json"])).stdout) as { status: string }[];
    expect(listed.filter(({ status }) => status === "running" || status === "pending")).toEqual([]);
  });
});
