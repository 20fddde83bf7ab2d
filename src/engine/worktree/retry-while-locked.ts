import type { GitResult } from "../../platform/git.ts";

const LIMIT_MS = 10_000;
const DELAY_MS_MIN = 20;
const DELAY_MS_MAX = 500;

/** Repeats what git does while another git holds a lock, for 10 s at most. The last result comes back, whatever it is. */
export async function retryWhileLocked(attempt: () => Promise<GitResult>, random: () => number = Math.random): Promise<GitResult> {
  return await retryWhile(LOCKED, attempt, random);
}

/** Repeats what fails because another git is just making or removing a worktree: git reads of it what is half there. */
export async function retryWhileTorn(attempt: () => Promise<GitResult>, random: () => number = Math.random): Promise<GitResult> {
  return await retryWhile(TORN, attempt, random);
}

async function retryWhile(complaint: RegExp, attempt: () => Promise<GitResult>, random: () => number): Promise<GitResult> {
  const deadline = performance.now() + LIMIT_MS;
  for (let delayMs = DELAY_MS_MIN; ; delayMs = Math.min(2 * delayMs, DELAY_MS_MAX)) {
    const result = await attempt();
    if (result.exitCode === 0 || !complaint.test(result.complaint) || performance.now() >= deadline) return result;
    // Who waits in step collides again.
    await Bun.sleep(delayMs * (0.5 + random()));
  }
}

const LOCKED = /\.lock': File exists|could not lock|Unable to create '.*\.lock'|cannot lock ref .* File exists/i;
const TORN = /failed to read .*\/worktrees\//;
