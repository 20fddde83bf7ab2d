import { dlopen } from "bun:ffi";
import { describe, expect, test } from "bun:test";
import { closeSync, mkdirSync, readdirSync, readFileSync, readSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { exitFor } from "../../src/core/exit-code.ts";
import { openStateDirectory } from "../../src/platform/state-directory.ts";
import { generateTaskId } from "../../src/platform/task-id.ts";
import { openLedger } from "../../src/store/ledger.ts";
import { executable } from "../support/executable.ts";
import { events, eventsOfType, runResult } from "../support/run-events.ts";
import { sampleTask } from "../support/sample-task.ts";
import { agentUser, type AgentUser } from "../support/spawn-agent.ts";

/** What a pipe holds: programs that exit too early lose everything beyond. */
const PIPE_BYTES = 65_536;
const HI = [{ reply: [{ text: "hi" }] }];
const DENIED = [{ reply: [{ tool: "Bash", input: { command: "rm -rf x" } }, { tool: "Nope", input: {} }] }, { reply: [{ text: "sorry" }] }];

/** Things that make the program talkative. */
const CHATTER: readonly (readonly [what: string, args: (user: AgentUser) => string[], env: Record<string, string>, said: string])[] = [
  ["a configuration file that cannot be read", (user) => (mkdirSync(configFile(user), { recursive: true }), ["-m", user.script(HI)]), {}, "config.jsonc"],
  ["a configuration file that is none", (user) => (configure(user, "{"), ["-m", user.script(HI)]), {}, "config.jsonc"],
  ["an unknown setting", (user) => (configure(user, '{ "modell": "x" }'), ["-m", user.script(HI)]), {}, 'did you mean "model"'],
  ["the log at its loudest", (user) => ["-m", user.script(DENIED)], { AGENT_LOG: "debug" }, "Bash rm -rf x"],
  ["-v", (user) => ["-v", "-m", user.script(DENIED)], {}, "Bash rm -rf x"],
  ["a refused call", (user) => ["-m", user.script(DENIED)], {}, "--allow"],
  ["a model that fails", (user) => ["-m", user.script([{ error: { status: 400, message: "not like this" } }])], {}, "not like this"],
  ["a conversation that the script does not expect", (user) => ["-m", user.script([{ expect: { prompt: "x" }, reply: [] }])], {}, "expected text with"],
  ["no credentials", () => [], {}, "ANTHROPIC_API_KEY"],
  ["both credentials, and nobody there", () => [], { ANTHROPIC_API_KEY: "a", ANTHROPIC_AUTH_TOKEN: "b", ANTHROPIC_BASE_URL: "http://127.0.0.1:9", AGENT_API_ATTEMPTS: "1" }, "both set"],
  ["an unknown flag", () => ["--vrebose"], {}, "--verbose"],
  ["a state folder that is a file", (user) => (writeFileSync(user.stateDirectory, ""), ["-m", user.script(HI)]), {}, "state"],
];

describe.each(["json", "stream-json"])("with --output-format %s", (format) => {
  test.each(CHATTER)("stdout is JSON from the first byte to the last, and stderr tells people: %s (A37, T-8)", async (_what, args, env, said) => {
    using user = agentUser();
    const ended = await user.run(["run", "--output-format", format, ...args(user), "go"], { env });
    const lines = ended.stdout.split("\n");
    expect(lines.pop()).toBe("");
    const objects = lines.map((line) => JSON.parse(line) as { type: string; exit?: { code: number } });
    if (format === "json") expect(objects).toHaveLength(1);
    expect(["run.result", "error"]).toContain(objects.at(-1)?.type ?? "");
    expect(objects.at(-1)?.exit?.code).toBe(ended.exitCode ?? -1);
    expect(ended.stderr).toContain(said);
  });
});

describe("the event stream", () => {
  const talk = [
    { reply: [{ text: "line\u2028paragraph\u2029end \u{1f600} \u001b[31m" }, { tool: "Bash", input: { command: "echo hello" } }, { tool: "Read", input: { file_path: "none" } }] },
    { reply: [{ tool: "Bash", input: { command: "rm x" } }, { tool: "Bash", input: { command: "sleep 60", run_in_background: true } }] },
    { reply: [{ text: "done" }] },
  ];

  test("is valid, numbered without gaps, and kept on disk as it was printed", async () => {
    using user = agentUser();
    const ended = await user.run(["run", "--output-format", "stream-json", "-m", user.script(talk, { repeatLast: true }), "go"]);
    const all = events(ended.stdout);
    expect(eventsOfType(all, "message.completed")[0]?.content[0]).toEqual({ type: "text", text: "line\u2028paragraph\u2029end \u{1f600} \u001b[31m" });
    expect(new Set(all.map((event) => event.type))).toEqual(
      new Set(["run.started", "task.started", "task.progress", "message.completed", "tool.started", "tool.completed", "permission.resolved", "task.updated", "run.result"]),
    );
    expect(eventLogs(user)).toEqual([ended.stdout]);
  });

  test("is written line by line, one system call each", async () => {
    using user = agentUser();
    using pipe = packetPipe();
    const child = Bun.spawn([executable(), "run", "--output-format", "stream-json", "-m", user.script(talk, { repeatLast: true }), "go"], {
      cwd: user.project,
      env: user.env,
      stdio: ["ignore", pipe.writer, "ignore"],
    });
    expect(await child.exited).toBe(3);
    const packets = pipe.packets();
    expect(events(packets.join(""))).toHaveLength(packets.length);
  });

  test("holds no line of more than 1 MiB, and says where the whole of it is", async () => {
    using user = agentUser();
    const answer = "0123456789abcdef".repeat(100_000);
    const ended = await user.run(["run", "--output-format", "stream-json", "-m", user.script([{ reply: [{ text: answer }], chunkChars: 100_000 }]), "go"]);
    const result = events(ended.stdout).at(-1);
    expect(Math.max(...ended.stdout.split("\n").map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(1_048_576);
    const whole = readFileSync(result?.ref?.file ?? "").subarray(result?.ref?.offset, (result?.ref?.offset ?? 0) + (result?.ref?.bytes ?? 0));
    expect(new Bun.CryptoHasher("sha256").update(whole).digest("hex")).toBe(result?.ref?.sha256 ?? "");
    expect((JSON.parse(whole.toString()) as { result: string }).result).toBe(answer);
  });
});

test("--output-format text prints the answer and a line feed, nothing else", async () => {
  using user = agentUser();
  const ended = await user.run(["run", "-m", user.script([{ reply: [{ text: "thinking aloud" }, { tool: "Bash", input: { command: "pwd" } }] }, { reply: [{ text: " two\nlines" }] }]), "go"]);
  expect(ended).toMatchObject({ stdout: " two\nlines\n", stderr: "", exitCode: 0 });
});

describe("a reader that comes late gets every byte (A36, T-9)", () => {
  test.each(["text", "json"])("of an answer of 1 MiB as %s", async (format) => {
    using user = agentUser();
    const answer = "0123456789abcde\n".repeat(65_536).trimEnd();
    const { stdout, exitCode } = await readLate(user, `agent run --output-format ${format} -m ${user.script([{ reply: [{ text: answer }], chunkChars: 65_536 }])} go`);
    expect(format === "text" ? stdout === `${answer}\n` : runResult(stdout).result === answer).toBe(true);
    expect(exitCode).toBe(0);
  });

  test("of 4 MB of events, and of a run that failed", async () => {
    using user = agentUser();
    const turn = { reply: [{ text: "x".repeat(200_000) }, { tool: "TodoWrite", input: { todos: [] } }], chunkChars: 200_000 };
    const { stdout, exitCode } = await readLate(user, `agent run --max-turns 20 --output-format stream-json -m ${user.script([turn], { repeatLast: true })} go`);
    expect(events(stdout).at(-1)).toMatchObject({ type: "run.result", exit: { code: 5, reason: "max_turns" } });
    expect(stdout.length).toBeGreaterThan(4_000_000);
    expect([stdout === eventLogs(user)[0], exitCode]).toEqual([true, 5]);
  });

  test("of a list of thousands of tasks, and of commands that fail over them", async () => {
    using user = agentUser();
    await fillState(user, 1_000);
    const commands = ["ps -a --json", "ps -a", "inspect $(agent ps -aq)", "wait --json $(agent ps -aq)"];
    const outcomes = await Promise.all(
      commands.map(async (command, index) => {
        const [late, direct] = await Promise.all([readLate(user, `agent ${command}`), user.shell(`agent ${command} > out-${index}`)]);
        expect(late.stdout.length).toBeGreaterThan(PIPE_BYTES);
        return [command, late.stdout === readFileSync(join(user.project, `out-${index}`), "utf8"), late.exitCode, direct.exitCode];
      }),
    );
    expect(outcomes).toEqual(commands.map((command) => [command, true, ...(command.startsWith("wait") ? [1, 1] : [0, 0])]));
  });
});

test("agent logs -f ends when its reader has what it wants (T-10)", async () => {
  using user = agentUser();
  const id = (await user.run(["run", "-d", "--exec", "--", "sh", "-c", "while :; do echo tick; sleep 0.02; done"])).stdout.trim();
  const ended = await user.shell(`agent logs -f ${id} | head -n 1; echo \${PIPESTATUS[0]}`);
  expect([ended.stdout, ended.stderr]).toEqual(["tick\n141\n", ""]);
  expect((await user.run(["stop", id])).exitCode).toBe(0);
});

function configFile(user: AgentUser): string {
  return join(user.env["XDG_CONFIG_HOME"] ?? "", "agent", "config.jsonc");
}

function configure(user: AgentUser, text: string): void {
  mkdirSync(join(configFile(user), ".."), { recursive: true });
  writeFileSync(configFile(user), text);
}

/** What a reader gets that starts half a second after the writer, and the exit status of the writer. */
async function readLate(user: AgentUser, command: string) {
  const { stdout } = await user.shell(`${command} 2>err | (sleep 0.5; cat); echo "\${PIPESTATUS[0]}"`);
  const end = stdout.lastIndexOf("\n", stdout.length - 2) + 1;
  return { stdout: stdout.slice(0, end), exitCode: Number(stdout.slice(end)) };
}

function eventLogs(user: AgentUser): string[] {
  const sessions = join(user.stateDirectory, "sessions");
  return readdirSync(sessions, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ndjson"))
    .map((name) => readFileSync(join(sessions, name), "utf8"));
}

async function fillState(user: AgentUser, count: number): Promise<void> {
  const directory = openStateDirectory({ state: user.stateDirectory });
  const ledger = openLedger(directory);
  for (let index = 0; index < count; index++) {
    const id = generateTaskId("local_bash");
    await ledger.insertTask(sampleTask({ id, startTime: index, notified: true, description: "make everything ".repeat(5) }), { durable: false });
    await ledger.endTask(id, 1, { status: "failed", exit: exitFor("failed") }, { endTime: index, durable: false });
  }
  ledger.close();
  directory.close();
}

/** A pipe that keeps the bytes of different `write` calls apart; calls of more than 4,096 bytes come in several packets. */
function packetPipe() {
  const { symbols } = dlopen("libc.so.6", { pipe2: { args: ["ptr", "i32"], returns: "i32" }, fcntl: { args: ["i32", "i32", "i32"], returns: "i32" } });
  const ends = new Int32Array(2);
  if (symbols.pipe2(ends, O_DIRECT) !== 0) throw new Error("No pipe for packets");
  const [reader = -1, writer = -1] = ends;
  // Room for everything: nobody reads before the end.
  symbols.fcntl(writer, F_SETPIPE_SZ, 1_048_576);
  let isWriterOpen = true;
  const closeWriter = () => {
    if (isWriterOpen) closeSync(writer);
    isWriterOpen = false;
  };
  return {
    writer,
    packets(): string[] {
      closeWriter();
      const found: string[] = [];
      const buffer = Buffer.alloc(65_536);
      for (let count = readSync(reader, buffer); count > 0; count = readSync(reader, buffer)) found.push(buffer.toString("utf8", 0, count));
      return found;
    },
    [Symbol.dispose]() {
      closeWriter();
      closeSync(reader);
    },
  };
}

const O_DIRECT = process.arch === "arm64" ? 0o200000 : 0o40000;
const F_SETPIPE_SZ = 1031;
