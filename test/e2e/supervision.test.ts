import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readProcStat } from "../../src/platform/proc-stat.ts";
import { ESCAPES, newToken, processesWithTokens } from "../support/escapees.ts";
import { type AgentProcess, agentUser, type AgentUser } from "../support/spawn-agent.ts";
import { waitFor } from "../support/wait-for.ts";

const BYPASS = ["run", "--permission-mode", "bypassPermissions"];
const UIDS = process.getuid?.() === 0 ? [0, 65_534] : [undefined];

/** The arguments of a run whose agent runs one command and is done. */
function runOf(user: AgentUser, command: string, input: Record<string, unknown> = {}): string[] {
  return [...BYPASS, "-m", user.script([{ reply: [{ tool: "Bash", input: { command, ...input } }] }, { reply: [{ text: "done" }] }], { repeatLast: true }), "go"];
}

function livingWith(token: string): number[] {
  return processesWithTokens([token]).get(token) ?? [];
}

async function gone(token: string): Promise<void> {
  await waitFor(() => livingWith(token).length === 0, { what: `${token} to be gone`, timeoutMs: 3_000 });
}

/** What a command loses on its way, and then waits. */
function losing(token: string): string {
  return `${ESCAPES["env -i"]?.replaceAll("TOKEN", token)}\nexec sleep 300`;
}

test.each(UIDS)("a command may do what it may do without us (user %p)", async (uid) => {
  using user = agentUser(undefined, { uid });
  const look = [
    "umask; id; nice; ulimit -H -R; ulimit -a | grep -v real-time",
    "grep -E 'Sig(Blk|Ign)|NoNewPrivs|Cap|Seccomp:' /proc/self/status",
    "ps -o pid= -p $$ | grep -cx ' *[0-9]*'; readlink /proc/$$/exe /proc/self/ns/*; ps -e | wc -l | grep -c '[0-9][0-9]'",
    "trap -p; ls /proc/self/fd; if command -v sudo; then sudo -n id -u; fi; true",
  ].join("\n");
  await user.run(runOf(user, `(${look}) > with 2>&1`));
  await user.shell(`exec 3>&- </dev/null; (${look}) > without 2>&1`);
  const read = (name: string) => readFileSync(join(user.project, name), "utf8");
  expect(read("with")).toBe(read("without"));
  expect(read("with").split("\n").length).toBeGreaterThan(20);
});

test.each([
  ["is killed", (outer: AgentProcess) => outer.kill("SIGKILL")],
  ["is terminated", (outer: AgentProcess) => outer.kill("SIGTERM")],
])("a run inside a run ends with it when the outer one %s, with what both have lost (A17)", async (_how, end) => {
  using user = agentUser();
  const [inner, outer] = [newToken(), newToken()];
  const nested = `env -i PATH=$PATH HOME=$HOME AGENT_STATE_DIR=$AGENT_STATE_DIR setsid agent ${runOf(user, losing(inner)).join(" ")} > /dev/null 2>&1 &`;
  const agent = user.start(runOf(user, `${nested}\n${losing(outer)}`));
  await waitFor(() => livingWith(inner).length > 0 && livingWith(outer).length > 0);
  end(agent);
  await Promise.all([gone(inner), gone(outer), agent.ended]);
});

test("a run inside a run has a watchdog of its own, and the outer one goes on without it", async () => {
  using user = agentUser();
  const [inner, outer] = [newToken(), newToken()];
  const nested = `agent ${runOf(user, losing(inner)).join(" ")} & echo $! > nested.pid`;
  const agent = user.start(runOf(user, `${nested}\n${losing(outer)}`));
  await waitFor(() => livingWith(inner).length > 0 && livingWith(outer).length > 0);
  process.kill(Number(readFileSync(join(user.project, "nested.pid"), "utf8")), "SIGKILL");
  await gone(inner);
  expect(livingWith(outer)).not.toEqual([]);
  agent.kill("SIGKILL");
  await gone(outer);
});

test.each(["SIGKILL", "SIGTERM", undefined] as const)("a run in the background that a run has started is handed over: it outlives it (ended by %p)", async (signal) => {
  using user = agentUser();
  const [inner, outer] = [newToken(), newToken()];
  const launch = `agent ${runOf(user, losing(inner)).join(" ")} -d --name inner`;
  const agent = user.start(runOf(user, signal === undefined ? launch : `${launch}\n${losing(outer)}`));
  await waitFor(() => livingWith(inner).length > 0 && (signal === undefined || livingWith(outer).length > 0));
  if (signal !== undefined) agent.kill(signal);
  await agent.ended;
  await gone(outer);
  // On its way from one program to the next it is not seen for a moment.
  await waitFor(() => livingWith(inner).length > 0);
  expect((await user.run(["ps", "-q", "--filter", "name=inner"])).stdout).not.toBe("");
  expect((await user.run(["stop", "inner"])).exitCode).toBe(0);
  await gone(inner);
});

test("Ctrl-Z halts what a run has started, and its time limit does not count the time until it goes on", async () => {
  using user = agentUser();
  const [token, halted] = [newToken(), newToken()];
  const command = `${ESCAPES["stopped"]?.replaceAll("TOKEN", halted)}\n${losing(token)}`;
  const startedAt = performance.now();
  const agent = user.start([...runOf(user, command), "--timeout", "2s"]);
  const stateOf = (pid: number | undefined) => (pid === undefined ? undefined : readProcStat(pid)?.state);
  const states = () => [agent.pid, ...livingWith(token)].map(stateOf);
  await waitFor(() => livingWith(token).length > 0 && stateOf(livingWith(halted)[0]) === "T");
  agent.kill("SIGTSTP");
  // One that waits for a child which was halted before it became another program is in state D.
  await waitFor(() => states().every((state) => state === "T" || state === "D"));
  const haltedAt = performance.now();
  await waitFor(() => performance.now() - startedAt > 2_500);
  agent.kill("SIGCONT");
  const haltedMs = performance.now() - haltedAt;
  await waitFor(() => !states().includes("T"));
  // Who had halted itself stays so.
  expect(stateOf(livingWith(halted)[0])).toBe("T");
  expect((await agent.ended).exitCode).toBe(124);
  expect(performance.now() - startedAt - haltedMs).toBeGreaterThan(1_900);
  expect([...livingWith(token), ...livingWith(halted)]).toEqual([]);
}, 20_000);

test("SIGUSR1 makes a run say what it does, on stderr or in its log", async () => {
  using user = agentUser();
  const foreground = user.start(runOf(user, "touch up; exec sleep 300"));
  await waitFor(() => existsSync(join(user.project, "up")));
  foreground.kill("SIGUSR1");
  await waitFor(() => /task b\w{8} \(local_bash\): running for \d+\.\d s, process \d+: touch up/.test(foreground.stderrSoFar()));
  expect(foreground.stderrSoFar()).toMatch(/^agent: State of run [-0-9a-f]{36}, session [-0-9a-f]{36}, process \d+, after \d+\.\d s$/m);
  expect(foreground.stderrSoFar()).toMatch(/^agent: watchdog is process \d+$/m);
  foreground.kill("SIGTERM");
  await foreground.ended;

  const launched = JSON.parse((await user.run([...runOf(user, "exec sleep 300"), "-d", "--output-format", "json"])).stdout);
  const log = join(user.stateDirectory, "sessions", launched.session_id, `${launched.run_id}.log`);
  process.kill(launched.pid, "SIGUSR1");
  await waitFor(() => existsSync(log) && readFileSync(log, "utf8").includes(`agent: State of run ${launched.run_id}`));
  expect((await user.run(["stop", launched.task_id])).exitCode).toBe(0);
});

test("a command that is a run of its own is over when its session is: a daemon ends with it", async () => {
  using user = agentUser();
  const token = newToken();
  const { stdout, exitCode } = await user.run(["run", "--exec", "--", "sh", "-c", `${ESCAPES["daemonised"]?.replaceAll("TOKEN", token)}\nsleep 0.2; echo started`]);
  expect([stdout, exitCode, livingWith(token)]).toEqual(["started\n", 0, []]);
});

test("ten runs that are killed while they start daemons leave none", async () => {
  using user = agentUser(undefined, { uid: UIDS.at(-1) });
  for (let round = 0; round < 10; round++) {
    const token = newToken();
    const daemon = (start: string) => `${start} bash -c 'exec -a ${token} sleep 300' </dev/null >/dev/null 2>&1 &`;
    const agent = user.start(runOf(user, `while :; do ${daemon("env -i setsid")} (${daemon("setsid")}); sleep 0.005; done`));
    await waitFor(() => livingWith(token).length > 5 * round);
    agent.kill("SIGKILL");
    await gone(token);
    await agent.ended;
  }
});

test("as the first process of a container a run collects what others leave (A25)", async () => {
  using user = agentUser();
  const namespace = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];
  const count = "ps -eo stat= | grep -c ^Z";
  const command = `for i in $(seq 200); do ((true &) &); done; until [ "$(${count})" = 0 ]; do sleep 0.05; done; ps -p 1 -o args= > first`;
  const argv = ["unshare", ...namespace, "--pid", "--fork", "--kill-child", "--mount-proc", "agent", ...runOf(user, command)];
  const { exitCode, stdout } = await user.shell('"$0" "$@"', { argv });
  expect([exitCode, stdout]).toEqual([0, "done\n"]);
  expect(readFileSync(join(user.project, "first"), "utf8")).toMatch(/^agent run/);
});
