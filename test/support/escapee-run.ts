import { readFileSync } from "node:fs";
import { ESCAPES, newToken, processesWithTokens } from "./escapees.ts";
import { isAlive } from "./processes.ts";
import { agentUser, type AgentProcess, type AgentUser } from "./spawn-agent.ts";
import { waitFor } from "./wait-for.ts";

/** A run of which every task has lost a process in another way. */
export interface EscapeeRun extends AsyncDisposable {
  readonly user: AgentUser;
  readonly agent: AgentProcess;
  /** Fails where there is none. */
  readonly watchdogPid: () => number;
  readonly untilWatched: (options: { readonly butNotBy: number }) => Promise<void>;
  /** The ways that have a living process. */
  readonly escaped: () => string[];
  /** Waits until nothing is left, and fails with the ways that are. */
  readonly gone: (options: { readonly timeoutMs: number }) => Promise<void>;
  /** The ids of the tasks. */
  readonly taskIds: () => Promise<string[]>;
}

export interface EscapeeRunOptions {
  readonly uid?: number | undefined;
  /** What a task does after it has lost its process. */
  readonly afterwards?: string;
  /** Added to every call of Bash. */
  readonly input?: Readonly<Record<string, unknown>>;
  readonly args?: readonly string[];
  /** What the agent does then; it waits unless told. */
  readonly last?: string;
  readonly ways?: readonly string[];
}

/** Starts a run and waits until every task has lost its process; the first may be over by then. */
export async function startEscapeeRun(options: EscapeeRunOptions = {}): Promise<EscapeeRun> {
  const user = agentUser(undefined, { uid: options.uid });
  const tokens = new Map((options.ways ?? Object.keys(ESCAPES)).map((way) => [way, newToken()]));
  const calls = [...tokens].map(([way, token]) => ({
    tool: "Bash",
    input: { command: `${ESCAPES[way]?.replaceAll("TOKEN", token)}\n${options.afterwards ?? "exec sleep 300"}`, run_in_background: true, ...options.input },
  }));
  const waiting = { tool: "Bash", input: { command: options.last ?? "exec sleep 300" } };
  const model = user.script([{ reply: calls }, { reply: [waiting] }, { reply: [{ text: "done" }] }], { repeatLast: true });
  const agent = user.start(["run", "--permission-mode", "bypassPermissions", "-m", model, ...(options.args ?? []), "go"]);
  const values = [...tokens.values()];
  const escaped = () => {
    const living = processesWithTokens(values);
    return [...tokens].filter(([, token]) => living.has(token)).map(([way]) => way);
  };
  const seen = new Set<string>();
  const haveAllEscaped = () => {
    for (const way of escaped()) seen.add(way);
    return seen.size === tokens.size;
  };
  await waitFor(haveAllEscaped, { what: `all to escape: ${agent.stderrSoFar()}`, timeoutMs: 20_000 });
  return {
    user,
    agent,
    escaped,
    watchdogPid() {
      const pid = watchdogOf(agent.pid);
      if (pid === undefined) throw new Error("The run has no watchdog");
      return pid;
    },
    async untilWatched({ butNotBy }) {
      await waitFor(() => ![undefined, butNotBy].includes(watchdogOf(agent.pid)));
    },
    async gone({ timeoutMs }) {
      await waitFor(() => isGone(values), { timeoutMs }).catch(() => {
        throw new Error(`Still there after ${timeoutMs} ms: ${escaped().join(", ")}`);
      });
    },
    async taskIds() {
      const { stdout } = await user.run(["ps", "-q"]);
      return stdout.split("\n").filter((id) => id.startsWith("b"));
    },
    async [Symbol.asyncDispose]() {
      agent.kill("SIGKILL");
      await agent.ended;
      for (let round = 0; round < 500 && !isGone(values); round++) killAll(values);
      user[Symbol.dispose]();
    },
  };
}

/** One that is always another process may be missed by one look. */
function isGone(tokens: readonly string[]): boolean {
  return Array.from({ length: 3 }).every(() => processesWithTokens(tokens).size === 0);
}

function killAll(tokens: readonly string[]): void {
  for (const pid of [...processesWithTokens(tokens).values()].flat()) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has just ended.
    }
  }
}

function watchdogOf(pid: number): number | undefined {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ").map(Number);
  return children.find((child) => isAlive(child) && readFileSync(`/proc/${child}/cmdline`, "latin1").includes("agent-watchdog"));
}
