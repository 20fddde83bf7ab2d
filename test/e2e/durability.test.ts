import { describe, expect, test } from "bun:test";
import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readTranscript } from "../../src/store/read-transcript.ts";
import { executable } from "../support/executable.ts";
import { type AgentUser, agentUser } from "../support/spawn-agent.ts";
import { withFaults } from "../support/strace.ts";
import { waitFor } from "../support/wait-for.ts";

const ANSWERS = [{ reply: [{ text: "an answer" }] }];

/** The transcript of the one conversation of a user. */
function transcriptOf(user: AgentUser): string {
  const [session = ""] = readdirSync(join(user.stateDirectory, "sessions"));
  return join(user.stateDirectory, "sessions", session, "transcript.jsonl");
}

async function withConversation(): Promise<{ readonly user: AgentUser; readonly transcript: string; readonly model: string; [Symbol.dispose](): void }> {
  const user = agentUser();
  const model = user.script(ANSWERS, { repeatLast: true });
  await user.run(["run", "-m", model, "go"]);
  return { user, transcript: transcriptOf(user), model, [Symbol.dispose]: () => user[Symbol.dispose]() };
}

describe("a transcript", () => {
  test.each([
    ["half a record", '{"type":"assistant","uuid":"x","mess'],
    ["half a character", Buffer.from([0x7b, 0x22, 0xe2, 0x82])],
    ["200 kB without an end", "x".repeat(200_000)],
  ])("that ends in %s is gone on with, and every record is readable (V-242)", async (_what, torn) => {
    using conversation = await withConversation();
    const { user, transcript, model } = conversation;
    const before = readTranscript(transcript);
    appendFileSync(transcript, torn);
    expect((await user.run(["run", "--continue", "-m", model, "go on"])).stdout).toBe("an answer\n");
    const after = readTranscript(transcript);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.slice(1).map(({ parentUuid }) => String(parentUuid))).toEqual(after.slice(0, -1).map(({ uuid }) => uuid));
  });

  test("with records that this version does not know keeps them as they are and goes on (V-253)", async () => {
    using conversation = await withConversation();
    const { user, transcript, model } = conversation;
    const last = readTranscript(transcript).at(-1);
    const foreign = `${JSON.stringify({ type: "hologram", uuid: "11111111-2222", parentUuid: last?.uuid, sessionId: last?.sessionId, agentId: last?.agentId, isSidechain: false, timestamp: last?.timestamp, payload: { depth: [1, 2, 3] } })}\n`;
    appendFileSync(transcript, foreign);
    const before = readFileSync(transcript, "utf8");
    expect((await user.run(["run", "--continue", "-m", model, "go on"])).stdout).toBe("an answer\n");
    expect(readFileSync(transcript, "utf8")).toStartWith(before);
    expect(readTranscript(transcript).find(({ uuid }) => uuid === "11111111-2222")).toMatchObject({ payload: { depth: [1, 2, 3] } });
    expect((await user.run(["logs", String(last?.agentId)])).exitCode).toBe(0);
  });

  test("that two runs go on with at once has one writer; the other is told, and no line is mixed (V-245)", async () => {
    using conversation = await withConversation();
    const { user, transcript, model } = conversation;
    const script = user.script([...ANSWERS, { reply: [{ tool: "Bash", input: { command: "touch here; while [ ! -e go ]; do sleep 0.02; done" } }] }, ...ANSWERS], { repeatLast: true });
    const first = user.start(["run", "--continue", "--permission-mode", "bypassPermissions", "-m", script, "go on"]);
    await waitFor(() => readdirSync(user.project).includes("here"));
    const others = await Promise.all([1, 2, 3].map(() => user.run(["run", "--continue", "-m", model, "me too"])));
    expect(others.map(({ exitCode, stdout }) => [exitCode, stdout])).toEqual([1, 2, 3].map(() => [8, ""]));
    writeFileSync(join(user.project, "go"), "");
    expect((await first.ended).exitCode).toBe(0);
    const entries = readTranscript(transcript);
    expect(entries.slice(1).map(({ parentUuid }) => String(parentUuid))).toEqual(entries.slice(0, -1).map(({ uuid }) => uuid));
  });

  test("of an agent in the background is its output: both ways to it have its last words (A04)", async () => {
    using user = agentUser();
    const script = user.script([
      { reply: [{ text: "looking" }, { tool: "Bash", input: { command: "pwd" } }] },
      { reply: [{ tool: "Bash", input: { command: "ls" } }] },
      { reply: [{ text: "The answer is in the attic." }] },
    ]);
    const id = (await user.run(["run", "-d", "-m", script, "find it"])).stdout.trim();
    await waitFor(async () => (await user.run(["logs", id])).stdout.includes("looking"));
    expect((await user.run(["wait", id])).stdout).toBe("The answer is in the attic.\n");
    expect((await user.run(["logs", id])).stdout).toContain("[assistant]\nThe answer is in the attic.");
    const [record] = JSON.parse((await user.run(["inspect", id])).stdout) as { outputFile: string }[];
    expect(readFileSync(record?.outputFile ?? "", "utf8")).toContain("The answer is in the attic.");
  });
});

describe("a settings file", () => {
  /** Every call by which the replacement could be left half done. */
  const CALLS = "write,fsync,fdatasync,rename,renameat,renameat2,fchmod,unlink";

  test("is the old one or the new one, wherever its writer is killed (V-247)", async () => {
    using user = agentUser();
    const path = join(user.home, "config", "agent", "config.jsonc");
    const [before, after] = [`{\n  "model": "opus"\n}\n`, `{\n  "model": "haiku"\n}\n`];
    mkdirSync(dirname(path), { recursive: true });
    const set = async (inject: string) => {
      writeFileSync(path, before, { mode: 0o600 });
      const faults = withFaults([executable(), "config", "set", "model", "haiku"], { inject, paths: [], log: join(user.home, "calls") });
      const ended = await user.shell(`"$@"`, { argv: ["sh", ...faults.argv] });
      return { ended, count: faults.calls("\\w+").length };
    };
    const whole = await set(`${CALLS}:delay_enter=0`);
    expect([whole.ended.exitCode, readFileSync(path, "utf8")]).toEqual([0, after]);
    expect(whole.count).toBeGreaterThan(3);
    const found = new Set<string>();
    for (let call = 1; call <= whole.count; call++) {
      await set(`${CALLS}:signal=KILL:when=${call}`);
      found.add(readFileSync(path, "utf8"));
      expect([before, after]).toContain(readFileSync(path, "utf8"));
    }
    expect([...found].toSorted()).toEqual([after, before].toSorted());
    expect(statSync(path).mode & 0o777).toBe(0o600);
  }, 60_000);
});

describe("what is on disk before it is promised (V-248)", () => {
  test("the record of a run before its id is printed, and the intent of a call before the call", async () => {
    using user = agentUser();
    const script = user.script([{ reply: [{ tool: "Bash", input: { command: "touch done-by-the-call" } }] }, ...ANSWERS]);
    const log = join(user.home, "calls");
    const argv = ["strace", "-f", "-y", "-qqq", "-o", log, "-s", "300", "-e", "trace=fsync,fdatasync,write,execve", executable(), "run", "-d", "--permission-mode", "bypassPermissions", "-m", script, "go"];
    const launched = await user.shell(`"$@"`, { argv: ["sh", ...argv] });
    const id = launched.stdout.trim();
    expect((await user.run(["wait", id])).exitCode).toBe(0);
    const calls = readFileSync(log, "utf8").split("\n");
    const firstSync = (file: string) => calls.findIndex((call) => /f(data)?sync\(/.test(call) && call.includes(file));
    const printed = calls.findIndex((call) => call.includes(`"${id}\\n"`));
    expect(firstSync("ledger.db-wal")).toBeGreaterThan(-1);
    expect(firstSync("ledger.db-wal")).toBeLessThan(printed);
    const made = calls.findIndex((call) => call.includes("execve") && call.includes("touch"));
    expect(firstSync("transcript.jsonl")).toBeGreaterThan(-1);
    expect(firstSync("transcript.jsonl")).toBeLessThan(made);
    // The name of the transcript as well as what is in it.
    const session = dirname(transcriptOf(user));
    expect(calls.some((call) => /fsync\(/.test(call) && call.includes(`<${session}>`))).toBe(true);
  });
});
