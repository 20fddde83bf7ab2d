import { existsSync, statSync } from "node:fs";
import { errorMessage } from "../../core/errors.ts";
import { ripgrepFile } from "../../platform/ripgrep-file.ts";
import { shellProgram } from "../../platform/shell-program.ts";
import type { Check } from "./check.ts";

const DAY_MS = 86_400_000;

type Env = Readonly<Record<string, string | undefined>>;

/** What runs need of the machine, and what in the environment changes what this program is. */
export function machineChecks({ env, now }: { readonly env: Env; readonly now: number }): Check[] {
  return [shellCheck(), searchCheck(), ...procCheck(), ...environmentChecks(env), clockCheck(now)];
}

function shellCheck(): Check {
  try {
    return { name: "shell", status: "ok", message: `commands run in "${shellProgram()}"` };
  } catch (error) {
    return { name: "shell", status: "fail", message: errorMessage(error), advice: "install a shell there" };
  }
}

function searchCheck(): Check {
  if (existsSync(ripgrepFile)) return { name: "search", status: "ok", message: "ripgrep is built in" };
  return { name: "search", status: "fail", message: "ripgrep is not in this build", advice: "install the program again" };
}

/** Only Linux has it. */
function procCheck(): Check[] {
  if (process.platform !== "linux") return [];
  if (existsSync("/proc/self/fd")) return [{ name: "/proc", status: "ok", message: "it is mounted" }];
  return [{ name: "/proc", status: "fail", message: "it is not mounted, and files and processes are reached through it", advice: "mount it: mount -t proc proc /proc" }];
}

const SUSPECT_VARIABLES: readonly { readonly pattern: RegExp; readonly effect: string }[] = [
  { pattern: /^BUN_OPTIONS$/, effect: "can load other code into this program" },
  { pattern: /^BUN_BE_BUN$/, effect: "turns this program into another one" },
  { pattern: /^BUN_INSPECT/, effect: "opens this program to a debugger" },
  { pattern: /^NODE_OPTIONS$/, effect: "changes the programs that runs start" },
];

function environmentChecks(env: Env): Check[] {
  const name = "environment";
  const found = Object.keys(env).flatMap((variable) => {
    const suspect = SUSPECT_VARIABLES.find(({ pattern }) => pattern.test(variable) && env[variable] !== undefined);
    return suspect === undefined ? [] : [{ name, status: "warn", message: `${variable} is set: it ${suspect.effect}`, advice: `unset ${variable}` } as const];
  });
  return found.length > 0 ? found : [{ name, status: "ok", message: "nothing in it changes what this program is" }];
}

function clockCheck(now: number): Check {
  const name = "clock";
  const message = `it says ${new Date(now).toISOString()}`;
  // A program is not newer than the time.
  const isBehind = now < statSync(process.execPath).mtimeMs - DAY_MS;
  if (!isBehind) return { name, status: "ok", message };
  return { name, status: "warn", message: `${message}, which is before this program was made`, advice: "set the clock: ages, time limits and certificates depend on it" };
}
