import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openStateDirectory } from "../../src/platform/state-directory.ts";
import { openLedger } from "../../src/store/ledger.ts";
import { isAlive, processesWithMark, killHard } from "../support/processes.ts";
import { events } from "../support/run-events.ts";
import { sampleTask, taskId } from "../support/sample-task.ts";
import { agentUser, type AgentUser } from "../support/spawn-agent.ts";
import { startInTerminal } from "../support/terminal.ts";
import { waitFor } from "../support/wait-for.ts";

const HI = [{ reply: [{ text: "hi" }] }];
/** The shell prints before it sleeps, so that it is known to run. */
const SLEEPS = [{ reply: [{ text: "waiting" }, { tool: "Bash", input: { command: "sleep 61" } }] }, { reply: [{ text: "done" }] }];

interface Listed {
  readonly id: string;
  readonly type: string;
  readonly status: string;
  readonly name: string | null;
}
interface Inspected extends Listed {
  readonly exit: { readonly code: number; readonly reason: string } | null;
  readonly error: string | null;
  readonly outputFile: string;
  readonly run: { readonly pid: number };
}
interface Launched {
  readonly task_id: string;
  readonly run_id: string;
  readonly pid: number;
  readonly output_file: string;
  readonly events: string;
}

async function launch(user: AgentUser, ...args: string[]): Promise<Launched> {
  const ended = await user.run(["run", "-d", "--output-format", "json", ...args]);
  expect(ended.exitCode).toBe(0);
  return JSON.parse(ended.stdout) as Launched;
}

async function list(user: AgentUser, ...args: string[]): Promise<Listed[]> {
  return JSON.parse((await user.run(["ps", "-a", "--json", ...args])).stdout) as Listed[];
}

async function inspect(user: AgentUser, id: string): Promise<Inspected> {
  const [record] = JSON.parse((await user.run(["inspect", id])).stdout) as [Inspected];
  return record;
}

/** The pids of everything that a run started and that lives. */
function processesOf({ run_id }: Launched): number[] {
  return processesWithMark(`AGENT_RUN_ID=${run_id}`);
}

/** A run whose shell runs already. */
async function launchSleeping(user: AgentUser): Promise<Launched> {
  const launched = await launch(user, "-m", user.script(SLEEPS), "go");
  await waitFor(() => processesOf(launched).length > 0);
  return launched;
}

describe("agent run -d", () => {
  test("prints the id and nothing else, and tells people how to go on", async () => {
    using user = agentUser();
    const ended = await user.run(["run", "-d", "-m", user.script(HI), "go"]);
    expect(ended.stdout).toMatch(/^a[0-9a-z]{8}\n$/);
    const id = ended.stdout.trim();
    expect(ended.stderr).toBe(`Follow it: agent logs -f ${id}\nWait for it: agent wait ${id}\n`);
    expect(await user.run(["wait", id])).toMatchObject({ stdout: "hi\n", stderr: "", exitCode: 0 });
    expect((await user.run(["run", "-d", "-q", "-m", user.script(HI), "go"])).stderr).toBe("");
  });

  test("prints one object for machines, whose files are there", async () => {
    using user = agentUser();
    const launched = await launch(user, "-m", user.script(HI), "go");
    expect(Object.keys(launched)).toEqual(["v", "task_id", "run_id", "session_id", "pid", "output_file", "events"]);
    await user.run(["wait", launched.task_id]);
    expect(events(readFileSync(launched.events, "utf8")).at(-1)).toMatchObject({ type: "run.result", run_id: launched.run_id, task_id: launched.task_id, result: "hi" });
    expect(readFileSync(launched.output_file, "utf8")).toContain("hi");
  });

  test("needs nobody any more once it has printed the id: the launcher and the run are killed, the record stays", async () => {
    using user = agentUser();
    const launcher = user.start(["run", "-d", "-m", user.script(SLEEPS), "go"], { readsStdout: true });
    const id = new TextDecoder().decode((await launcher.stdout.getReader().read()).value).trim();
    launcher.kill("SIGKILL");
    const { run } = await inspect(user, id);
    await killHard(run.pid);
    await waitFor(() => !isAlive(run.pid));
    expect(await inspect(user, id)).toMatchObject({ status: "failed", exit: { code: 1, reason: "owner_lost" } });
  });

  test("outlives the terminal it was started from", async () => {
    using user = agentUser();
    const terminal = startInTerminal(["bash", "-ic", `agent run -d --name survivor -m ${user.script(SLEEPS)} go; sleep 60`], { cwd: user.project, env: user.env });
    await waitFor(() => terminal.shown().includes("agent wait"));
    const { id, run } = { ...(await inspect(user, "survivor")) };
    terminal.hangUp();
    await terminal.exited;
    expect(isAlive(run.pid)).toBe(true);
    expect((await inspect(user, id)).status).toBe("running");
    expect((await user.run(["stop", "survivor"])).exitCode).toBe(0);
    await waitFor(() => !isAlive(run.pid));
  });

  test.each([
    ["a state folder that cannot be made", { AGENT_STATE_DIR: "/proc/none/state" }, 14, "/proc/none"],
    ["a relative state folder", { AGENT_STATE_DIR: "state" }, 2, "AGENT_STATE_DIR"],
  ])("passes on why it did not start: %s", async (_what, env, code, said) => {
    using user = agentUser();
    const ended = await user.run(["run", "-d", "-m", user.script(HI), "go"], { env });
    expect([ended.stdout, ended.exitCode]).toEqual(["", code]);
    expect(ended.stderr).toContain(said);
    expect(ended.stderr.trimEnd().split("\n")).toHaveLength(1);
    const forMachines = await user.run(["run", "-d", "--output-format", "json", "-m", user.script(HI), "go"], { env });
    expect(JSON.parse(forMachines.stdout)).toMatchObject({ type: "error", exit: { code } });
  });

  test("works twenty times at once, with an id for each", async () => {
    using user = agentUser();
    const script = user.script(HI);
    const launched = await Promise.all(Array.from({ length: 20 }, () => user.run(["run", "-d", "-m", script, "go"])));
    expect(launched.map((ended) => ended.exitCode)).toEqual(Array.from({ length: 20 }, () => 0));
    const ids = launched.map((ended) => ended.stdout.trim());
    expect(new Set(ids).size).toBe(20);
    const waited = await user.run(["wait", ...ids]);
    expect([waited.stdout, waited.exitCode]).toEqual(["hi\n".repeat(20), 0]);
    expect(new Map((await list(user)).map((task) => [task.id, task.status]))).toEqual(new Map(ids.map((id) => [id, "completed"])));
  });
});

describe("agent logs -f", () => {
  test("follows a command to its end, and is then what the file holds", async () => {
    using user = agentUser();
    const id = (await user.run(["run", "-d", "--exec", "--", "bash", "-c", "for i in {1..40}; do echo $i; printf 'half ü '; sleep 0.01; echo; done; printf end"])).stdout.trim();
    const followed = await user.run(["logs", "-f", id]);
    expect([followed.exitCode, followed.stderr]).toEqual([0, ""]);
    expect(followed.stdout).toBe(readFileSync((await inspect(user, id)).outputFile, "utf8"));
    expect(followed.stdout.split("\n")).toHaveLength(81);
    expect((await user.run(["logs", id])).stdout).toBe(followed.stdout);
  });

  test("follows an agent to its last word", async () => {
    using user = agentUser();
    const talk = [{ reply: [{ text: "one" }, { tool: "Bash", input: { command: "sleep 0.3" } }] }, { reply: [{ text: "two" }] }];
    const id = (await user.run(["run", "-d", "-m", user.script(talk), "go"])).stdout.trim();
    const followed = await user.run(["logs", "-f", id]);
    expect(followed.stdout).toMatch(/go[\s\S]*one[\s\S]*sleep 0\.3[\s\S]*two/);
    expect((await inspect(user, id)).status).toBe("completed");
  });

  test("ends when the process of the run is killed", async () => {
    using user = agentUser();
    const launched = await launchSleeping(user);
    const following = user.start(["logs", "-f", launched.task_id]);
    await killHard(launched.pid);
    expect((await following.ended).exitCode).toBe(0);
  });
});

describe("agent wait", () => {
  test("for several exits as the first that failed, in the order given", async () => {
    using user = agentUser();
    const [good, three, four] = await Promise.all([
      launch(user, "--exec", "--", "sh", "-c", "echo good"),
      launch(user, "--exec", "--", "sh", "-c", "echo bad; exit 3"),
      launch(user, "--timeout", "50ms", "--exec", "--", "sh", "-c", "echo late; exec sleep 60"),
    ]);
    const ids = [good.task_id, four.task_id, three.task_id];
    expect(await user.run(["wait", ...ids])).toMatchObject({ stdout: "good\nlate\nbad\n", exitCode: 124 });
    expect((await user.run(["wait", "-q", three.task_id, four.task_id])).exitCode).toBe(1);
    expect(await user.run(["wait", "-q", good.task_id, good.task_id])).toMatchObject({ stdout: "", exitCode: 0 });
    const records = JSON.parse((await user.run(["wait", "--json", ...ids])).stdout) as { id: string; result: string }[];
    expect(records.map((record) => record.id)).toEqual(ids);
    expect(records.map((record) => record.result)).toEqual(["good\n", "late\n", "bad\n"]);
  });

  test("--any exits as the first that ended; --timeout gives up on the rest", async () => {
    using user = agentUser();
    const [slow, quick] = await Promise.all([launchSleeping(user), launch(user, "--exec", "--", "sh", "-c", "echo quick; exit 9")]);
    expect(await user.run(["wait", "--any", slow.task_id, quick.task_id])).toMatchObject({ stdout: "quick\n", exitCode: 1 });
    expect(await user.run(["wait", "--timeout", "100ms", quick.task_id, slow.task_id])).toMatchObject({ stdout: "", exitCode: 124, stderr: expect.stringContaining(slow.task_id) });
    await user.run(["stop", slow.task_id]);
  });
});

describe("when the process of a run is killed with kill -9 (invariant 9)", () => {
  test("what it had started ends at once, and whoever looks next says what became of it", async () => {
    using user = agentUser();
    const launched = await launchSleeping(user);
    await killHard(launched.pid);
    await waitFor(() => !isAlive(launched.pid));
    // Nobody has to look for that.
    await waitFor(() => processesOf(launched).length === 0, { timeoutMs: 2_000 });
    expect((await list(user)).map((task) => [task.type, task.status])).toEqual([["local_bash", "failed"], ["local_agent", "failed"]]);
    expect(await inspect(user, launched.task_id)).toMatchObject({ status: "failed", exit: { code: 1, reason: "owner_lost" } });
    const log = readFileSync(launched.events, "utf8");
    expect(events(log).at(-1)).toMatchObject({ type: "run.result", status: "failed", exit: { reason: "owner_lost" }, recovered: true });
    // Nothing is left to do for the next one.
    await Promise.all([user.run(["ps"]), user.run(["wait", launched.task_id]), user.run(["doctor"])]);
    expect(readFileSync(launched.events, "utf8")).toBe(log);
  });

  test("many commands that look at once do it once", async () => {
    using user = agentUser();
    const launched = await launchSleeping(user);
    await killHard(launched.pid);
    await waitFor(() => !isAlive(launched.pid));
    await Promise.all(Array.from({ length: 8 }, () => user.run(["ps", "-a"])));
    expect(events(readFileSync(launched.events, "utf8")).filter((event) => event.type === "task.updated")).toHaveLength(2);
    expect(processesOf(launched)).toEqual([]);
  });

  test("a name that it had is free again", async () => {
    using user = agentUser();
    const first = await launch(user, "--name", "mine", "-m", user.script(SLEEPS), "go");
    await killHard(first.pid);
    await waitFor(() => !isAlive(first.pid));
    const second = await launch(user, "--name", "mine", "-m", user.script(HI), "go");
    expect(await user.run(["wait", "mine"])).toMatchObject({ stdout: "hi\n", exitCode: 0 });
    expect((await inspect(user, "mine")).id).toBe(second.task_id);
  });
});

describe.concurrent("agent stop", () => {
  test("ends a command that ignores the polite signal, and all it started", async () => {
    using user = agentUser();
    const launched = await launch(user, "--exec", "--", "bash", "-c", "trap '' TERM HUP INT; sleep 61 & sleep 62 & echo ready; while :; do sleep 63; done");
    await waitFor(async () => (await user.run(["logs", launched.task_id])).stdout === "ready\n");
    expect(await user.run(["stop", "-v", launched.task_id])).toMatchObject({ stdout: `${launched.task_id}\n`, stderr: "", exitCode: 0 });
    expect(processesOf(launched)).toEqual([]);
    expect(await inspect(user, launched.task_id)).toMatchObject({ status: "killed", exit: { code: 137 } });
    await waitFor(() => !isAlive(launched.pid));
  });

  test("says that a halted run does not answer, and ends it with --force", async () => {
    using user = agentUser();
    const launched = await launchSleeping(user);
    process.kill(launched.pid, "SIGSTOP");
    const refused = await user.run(["stop", launched.task_id]);
    expect(refused).toMatchObject({ stdout: "", exitCode: 8 });
    expect(refused.stderr).toContain("halted");
    expect(refused.stderr).toContain(`agent stop --force ${launched.task_id}`);
    expect((await inspect(user, launched.task_id)).status).toBe("running");
    expect((await user.run(["stop", "--force", launched.task_id])).exitCode).toBe(0);
    expect(await inspect(user, launched.task_id)).toMatchObject({ status: "killed", exit: { code: 137 } });
    expect([isAlive(launched.pid), processesOf(launched)]).toEqual([false, []]);
    expect(events(readFileSync(launched.events, "utf8")).at(-1)).toMatchObject({ status: "killed" });
  });

  test("of one shell lets its agent go on; --all ends everything", async () => {
    using user = agentUser();
    const launched = await launchSleeping(user);
    const shell = (await list(user)).find((task) => task.type === "local_bash");
    expect((await user.run(["stop", shell?.id ?? ""])).exitCode).toBe(0);
    expect(await user.run(["wait", launched.task_id])).toMatchObject({ stdout: "done\n", exitCode: 0 });
    const others = await Promise.all([launchSleeping(user), launch(user, "--exec", "--", "sleep", "61")]);
    expect((await user.run(["stop", "--all"])).exitCode).toBe(0);
    expect((await user.run(["ps", "-q"])).stdout).toBe("");
    expect(others.flatMap(processesOf)).toEqual([]);
    expect((await user.run(["stop", "--all"])).exitCode).toBe(0);
  });
});

describe("a task is found", () => {
  test("by its name, its id and the beginning of its id, and by nothing that could mean two", async () => {
    using user = agentUser();
    const one = await launch(user, "--name", "nightly", "--exec", "--", "echo", "one");
    const two = await launch(user, "--exec", "--", "echo", "two");
    await user.run(["wait", one.task_id, two.task_id]);
    const unique = one.task_id.slice(0, 4) === two.task_id.slice(0, 4) ? one.task_id : one.task_id.slice(0, 4);
    for (const reference of ["nightly", one.task_id, unique]) expect((await user.run(["logs", reference])).stdout).toBe("one\n");
    expect(await user.run(["logs", one.task_id.slice(0, 3)])).toMatchObject({ stdout: "", exitCode: 7 });
    expect(await user.run(["logs", one.task_id.toUpperCase()])).toMatchObject({ stdout: "", exitCode: 7 });
  });

  test("not by the beginning of several ids, which are named instead", async () => {
    using user = agentUser();
    const directory = openStateDirectory({ state: user.stateDirectory });
    const ledger = openLedger(directory);
    for (const id of ["bsame0001", "bsame0002", "bother001"]) await ledger.insertTask(sampleTask({ id: taskId(id), status: "completed" }), { durable: false });
    ledger.close();
    directory.close();
    for (const command of ["inspect", "logs", "wait", "stop", "rm"]) {
      const ended = await user.run([command, "bsame"]);
      expect([command, ended.stdout, ended.exitCode]).toEqual([command, "", 2]);
      expect(ended.stderr).toMatch(/bsame0001.*bsame0002/);
      expect(ended.stderr).not.toContain("bother001");
    }
  });

  test.each(["../x", "b/../../etc/x", "b\nx", "x".repeat(4_096), "con", "-", ".", ""])("not by %j (V-213)", async (reference) => {
    using user = agentUser();
    await user.run(["run", "--exec", "--", "true"]);
    for (const command of ["logs", "wait", "stop", "rm", "inspect"]) {
      const ended = await user.run([command, reference]);
      expect(ended.stdout).toBe("");
      expect([2, 7]).toContain(ended.exitCode ?? -1);
    }
  });
});

test("agent rm forgets a task with its files, and only what has ended", async () => {
  using user = agentUser();
  const ended = await launch(user, "-m", user.script(HI), "go");
  const running = await launchSleeping(user);
  await user.run(["wait", ended.task_id]);
  const refused = await user.run(["rm", ended.task_id, running.task_id]);
  expect(refused).toMatchObject({ stdout: "", exitCode: 8, stderr: expect.stringContaining(running.task_id) });
  expect((await user.run(["inspect", ended.task_id])).exitCode).toBe(7);
  expect([existsSync(ended.output_file), existsSync(ended.events)]).toEqual([false, false]);
  expect((await user.run(["rm", "--force", running.task_id])).exitCode).toBe(0);
  expect([processesOf(running), existsSync(running.output_file)]).toEqual([[], false]);
  await waitFor(() => !isAlive(running.pid));
  // What an agent had started is a record of its own.
  expect((await user.shell("agent rm $(agent ps -aq)")).exitCode).toBe(0);
  expect((await user.run(["ps", "-aq"])).stdout).toBe("");
  for (const folder of ["tasks", "sessions", "owners"]) expect(readdirSync(join(user.stateDirectory, folder))).toEqual([]);
});

test("a run in the background works where it was started, whatever becomes of that place", async () => {
  using user = agentUser();
  const directory = join(user.project, "gone");
  mkdirSync(directory);
  const script = user.script([{ reply: [{ tool: "Bash", input: { command: "sleep 0.3" } }] }, { reply: [{ tool: "Bash", input: { command: "pwd" } }] }, { reply: [{ text: "told" }] }]);
  const launched = JSON.parse((await user.run(["run", "-d", "--output-format", "json", "-m", script, "go"], { cwd: directory })).stdout) as Launched;
  await waitFor(() => processesOf(launched).length > 0);
  await user.shell(`rmdir ${directory}`);
  expect(await user.run(["wait", launched.task_id])).toMatchObject({ stdout: "told\n", exitCode: 0 });
  expect(readFileSync(launched.events, "utf8")).toContain("there is no such directory any more");
});
