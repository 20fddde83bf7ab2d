import { readdirSync, readFileSync } from "node:fs";
import { isAlive } from "./processes.ts";

const LOOP = "while :; do sleep 60; done";
const UNHEARD = "</dev/null >/dev/null 2>&1";
/** Lives for 20 ms and starts itself again in a session of its own, so that its pid is never the same for long. */
const REFORK = 'sleep 0.02; setsid sh -c "$0" "$0" "$1" &';

/**
 * Ways to get lost, as lines of a shell that start one process and go on. TOKEN is an argument of that process, by which
 * a test finds it without anything that the program under test knows it by.
 */
export const ESCAPES: Readonly<Record<string, string>> = {
  daemonised: `(setsid sh -c "cd /; umask 0; sh -c '${LOOP}' TOKEN &" ${UNHEARD} &)`,
  setsid: `setsid sh -c '${LOOP}' TOKEN ${UNHEARD} &`,
  "double fork": `((sh -c '${LOOP}' TOKEN ${UNHEARD} &) &)`,
  "env -i": `env -i setsid sh -c 'PATH=/usr/bin:/bin; ${LOOP}' TOKEN ${UNHEARD} &`,
  "TERM-ignoring": `setsid sh -c 'trap "" TERM HUP INT; ${LOOP}' TOKEN ${UNHEARD} &`,
  "re-forking": `env -i PATH=/usr/bin:/bin setsid sh -c '${REFORK}' '${REFORK}' TOKEN ${UNHEARD} &`,
  stopped: `setsid sh -c 'kill -STOP $$; ${LOOP}' TOKEN ${UNHEARD} &`,
};

/** A token that no other process has among its arguments. */
export function newToken(): string {
  return `${TOKEN_PREFIX}${crypto.randomUUID()}`;
}

const TOKEN_PREFIX = "escapee-";

/** The living processes with one of the tokens in their arguments, by token. One look for all. */
export function processesWithTokens(tokens: readonly string[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const pid of readdirSync("/proc").map(Number).filter(Number.isInteger)) {
    const text = argumentsOf(pid);
    const token = text.includes(TOKEN_PREFIX) ? tokens.find((each) => text.includes(each)) : undefined;
    if (token !== undefined && isAlive(pid)) found.set(token, [...(found.get(token) ?? []), pid]);
  }
  return found;
}

function argumentsOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return "";
  }
}
