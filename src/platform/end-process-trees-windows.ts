import type { ProcessIdentity } from "../core/task-host.ts";
import { isSameProcess } from "./process-identity.ts";

/** Runs a program to its end. */
export type RunProgram = (argv: readonly string[]) => Promise<unknown>;

/**
 * Ends processes and all their descendants where there are neither process groups nor signals. There is no polite way:
 * what has no window cannot be asked. By absolute path, so that `PATH` cannot put another program in its place.
 *
 * Not tried on a Windows machine yet.
 *
 * @param options.isAlive whether a process is still the one that was started
 * @returns the pids that are left; empty as a rule
 */
export async function endProcessTrees(
  roots: readonly ProcessIdentity[],
  options: {
    readonly env?: Readonly<Record<string, string | undefined>>;
    readonly run?: RunProgram;
    readonly isAlive?: (root: ProcessIdentity) => boolean;
  } = {},
): Promise<number[]> {
  const { env = process.env, run = runQuietly, isAlive = (root) => isSameProcess(root) } = options;
  const program = `${env["SystemRoot"] ?? String.raw`C:\Windows`}\\System32\\taskkill.exe`;
  const living = roots.filter(isAlive);
  // Its exit code also says "not found" of what has just ended by itself; a second look tells.
  await Promise.all(living.map(({ pid }) => run([program, "/T", "/F", "/PID", String(pid)])));
  return living.filter(isAlive).map(({ pid }) => pid);
}

const runQuietly: RunProgram = async (argv) => await Bun.spawn([...argv], { stdio: ["ignore", "ignore", "ignore"], timeout: 5_000 }).exited;
