import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readTranscript } from "../../src/store/read-transcript.ts";
import { executable } from "../support/executable.ts";
import { runResult } from "../support/run-events.ts";
import { type AgentResult, type AgentUser, agentUser } from "../support/spawn-agent.ts";
import { type FaultInjection, withFaults } from "../support/strace.ts";
import { tempDir } from "../support/temp-dir.ts";
import { ROOT } from "../support/source-tree.ts";

const VARIANT = "test-hooks";
const ENV = { AGENT_TEST_STORAGE_WAIT_MS: "500" };

/** A user with a conversation, so that the path of its transcript is known before the next run. */
async function withConversation(): Promise<{ readonly user: AgentUser; readonly transcript: string; readonly before: string }> {
  const user = agentUser(VARIANT);
  await user.run(["run", "-m", user.script([{ reply: [{ text: "first answer" }] }]), "go"]);
  const sessions = join(user.stateDirectory, "sessions");
  const [session = ""] = readdirSync(sessions);
  const transcript = join(sessions, session, "transcript.jsonl");
  return { user, transcript, before: readFileSync(transcript, "utf8") };
}

async function continueWith(user: AgentUser, reply: object, faults: { readonly inject: string; readonly paths: readonly string[] }): Promise<{ readonly ended: AgentResult; readonly faults: FaultInjection }> {
  const script = user.script([{ reply: [{ text: "first answer" }] }, { reply: [reply] }, { reply: [{ text: "last answer" }] }]);
  const command = [executable(VARIANT), "run", "--continue", "--output-format", "json", "--permission-mode", "bypassPermissions", "-m", script, "go on"];
  const injected = withFaults(command, { ...faults, log: join(user.home, "calls") });
  const ended = await user.shell(`exec "$@"`, { argv: ["sh", ...injected.argv], env: ENV });
  return { ended, faults: injected };
}

describe("a transcript on a disk that reports errors (V-219)", () => {
  test("for a moment: the run goes on, and every line is there once", async () => {
    const { user, transcript } = await withConversation();
    using _user = user;
    const { ended } = await continueWith(user, { text: "second answer" }, { inject: "write:error=EIO:when=2..4", paths: [transcript] });
    expect(runResult(ended.stdout)).toMatchObject({ status: "completed", result: "second answer", warnings: [expect.stringContaining("the disk reports an error (EIO)")] });
    const entries = readTranscript(transcript);
    expect(entries.slice(1).map(({ parentUuid }) => String(parentUuid))).toEqual(entries.slice(0, -1).map(({ uuid }) => uuid));
  });

  test("for good: 14 with one clear message, and what was there is as it was", async () => {
    const { user, transcript, before } = await withConversation();
    using _user = user;
    const { ended } = await continueWith(user, { text: "second answer" }, { inject: "write:error=EIO:when=1+", paths: [transcript] });
    expect(runResult(ended.stdout)).toMatchObject({ status: "failed", exit: { code: 14, reason: "storage" }, error: { code: "EIO" } });
    expect(ended.exitCode).toBe(14);
    expect(readFileSync(transcript, "utf8")).toBe(before);
  });

  test("when it is synced: the call does not begin, and no second sync is taken for a success", async () => {
    const { user, transcript } = await withConversation();
    using _user = user;
    const call = { tool: "Bash", input: { command: `touch ${user.project}/began` } };
    const { ended, faults } = await continueWith(user, call, { inject: "fdatasync:error=EIO:when=1", paths: [transcript] });
    expect(runResult(ended.stdout)).toMatchObject({ status: "failed", exit: { code: 14, reason: "storage" }, error: { code: "not_synced", message: expect.stringContaining("Cannot sync") } });
    expect(faults.calls("fdatasync")).toHaveLength(1);
    expect(readdirSync(user.project)).not.toContain("began");
  });

  test("a write that takes two bytes is gone on with from the third (V-220)", async () => {
    const { user, transcript, before } = await withConversation();
    using _user = user;
    const { ended, faults } = await continueWith(user, { text: "second answer" }, { inject: "write:retval=2:when=3", paths: [transcript] });
    expect(runResult(ended.stdout)).toMatchObject({ status: "completed", result: "second answer" });
    // The two bytes that were only said to be written are missing; everything behind them is there.
    const lines = readFileSync(transcript, "utf8").slice(before.length).trimEnd().split("\n");
    const damaged = lines.filter((line) => !line.startsWith("{"));
    expect([lines.indexOf(damaged[0] ?? ""), damaged.length, faults.calls("write").length]).toEqual([2, 1, lines.length + 1]);
    expect(typeof JSON.parse(`{"${damaged[0]}`)).toBe("object");
    for (const line of lines.filter((each) => each !== damaged[0])) expect(typeof JSON.parse(line)).toBe("object");
  });
});

describe("a ledger that cannot be synced", () => {
  test("promises nothing: the launcher prints no id and fails with 14 (V-219)", async () => {
    using user = agentUser(VARIANT);
    const script = user.script([{ reply: [{ text: "hi" }] }]);
    await user.run(["run", "-m", script, "go"]);
    const paths = ["ledger.db", "ledger.db-wal"].map((name) => join(user.stateDirectory, name));
    const { argv } = withFaults([executable(VARIANT), "run", "-d", "-m", script, "go"], { inject: "fdatasync,fsync:error=EIO", paths, log: join(user.home, "calls") });
    const ended = await user.shell(`exec "$@"`, { argv: ["sh", ...argv], env: ENV });
    expect([ended.exitCode, ended.stdout]).toEqual([14, ""]);
    expect(ended.stderr).toMatch(/^agent: Cannot use ledger ".*": the disk reports an error \(SQLITE_IOERR_FSYNC\)\n$/);
  });
});

describe("the output of a task", () => {
  /** Writes 1,000 lines of 1,000 bytes to one output. */
  async function writeOutput(inject: string) {
    const state = tempDir();
    const output = join(state.path, "state", "tasks", "b00000000.output");
    const { argv, calls } = withFaults([process.execPath, join(ROOT, "test", "fixtures", "write-output.ts"), join(state.path, "state")], { inject, paths: [output], log: join(state.path, "calls") });
    const child = Bun.spawn([...argv], { stdout: "pipe", stderr: "inherit" });
    const report = JSON.parse(await child.stdout.text()) as { bytesWritten: number; bytesDropped: number; failure?: string };
    return { report, calls, content: readFileSync(output, "utf8"), [Symbol.dispose]: () => state[Symbol.dispose]() };
  }

  test.each(["EIO", "ENOSPC", "EDQUOT"])("on a disk that says %s: one failure, exact numbers, no further write (V-214, V-219)", async (code) => {
    using written = await writeOutput(`write:error=${code}:when=501+`);
    expect(written.report).toMatchObject({ bytesWritten: 500_000, bytesDropped: 500_000, failure: expect.stringContaining(`(${code})`) });
    expect(written.content).toHaveLength(500_000);
    expect(written.calls("write")).toHaveLength(501);
  });

  test("a write that takes two bytes is gone on with from the third (V-220)", async () => {
    using written = await writeOutput("write:retval=2:when=1");
    expect(written.report).toMatchObject({ bytesWritten: 1_000_000, bytesDropped: 0 });
    expect(written.content).toHaveLength(1_000_000 - 2);
    expect(written.calls("write")).toHaveLength(1_001);
  });
});
