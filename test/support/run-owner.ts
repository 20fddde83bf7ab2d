import { join } from "node:path";
import { isAlive, killMarked } from "./processes.ts";
import { ROOT } from "./source-tree.ts";
import { waitFor } from "./wait-for.ts";

/** A process that owns a run with the root agent `a00000000` and its shell `b00000000`; see test/fixtures/own-run.ts. */
export interface RunOwner extends AsyncDisposable {
  readonly runId: string;
  readonly sessionId: string;
  readonly pid: number;
  readonly shellPid: number;
  signal(name: NodeJS.Signals): void;
  /** SIGKILL, until it is gone. */
  kill(): Promise<void>;
}

/** @param options.isDeaf whether it does not listen on its control socket */
export async function startRunOwner(
  state: string,
  options: { readonly runId?: string; readonly command?: string; readonly isDeaf?: boolean } = {},
): Promise<RunOwner> {
  const runId = options.runId ?? `run-${crypto.randomUUID()}`;
  const args = [state, runId, options.command ?? "sleep 300", ...(options.isDeaf === true ? ["--deaf"] : [])];
  const child = Bun.spawn([process.execPath, join(ROOT, "test", "fixtures", "own-run.ts"), ...args], { stdout: "pipe", stderr: "inherit", stdin: "ignore" });
  const reader = child.stdout.getReader();
  const shellPid = Number(new TextDecoder().decode((await reader.read()).value));
  async function kill(): Promise<void> {
    child.kill("SIGKILL");
    await child.exited;
    await waitFor(() => !isAlive(child.pid));
  }
  return {
    runId,
    sessionId: `session-of-${runId}`,
    pid: child.pid,
    shellPid,
    signal: (name) => child.kill(name),
    kill,
    async [Symbol.asyncDispose]() {
      await kill();
      killMarked(`AGENT_RUN_ID=${runId}`);
    },
  };
}
