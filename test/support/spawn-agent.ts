import { chmodSync, chownSync, copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { executable } from "./executable.ts";
import { tempDir } from "./temp-dir.ts";

export interface AgentResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
  readonly signal: string | null;
}

export interface AgentProcess {
  readonly pid: number;
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderrSoFar: () => string;
  readonly ended: Promise<AgentResult>;
  kill(signal: NodeJS.Signals): void;
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** What is to be read on stdin; nothing unless given. */
  readonly stdin?: string;
  /** The arguments of a script, `$0` first. */
  readonly argv?: readonly string[];
  /** Leaves stdout to the test, which reads it from the process. */
  readonly readsStdout?: true;
}

/** A user of the compiled executable: a home and a project of their own, no keys, no settings. */
export interface AgentUser extends Disposable {
  readonly home: string;
  /** The working directory unless a call names another. */
  readonly project: string;
  readonly stateDirectory: string;
  /** The environment of every call. The folder of the executable comes first in PATH, as after an installation. */
  readonly env: Readonly<Record<string, string>>;
  start(args: readonly string[], options?: StartOptions): AgentProcess;
  run(args: readonly string[], options?: StartOptions): Promise<AgentResult>;
  /** Runs a script of bash in which `agent` is the executable; the script's own result comes back. */
  shell(script: string, options?: StartOptions): Promise<AgentResult>;
  /** Writes a script for `--model` and returns its name as a model. */
  script(turns: readonly object[], options?: { readonly repeatLast?: boolean }): string;
}

/**
 * @param as.uid the user that all processes run as, which only the superuser may choose
 * @param as.program an executable in place of that of the variant
 */
export function agentUser(variant?: string, as: { readonly uid?: number | undefined; readonly program?: string } = {}): AgentUser {
  const directory = tempDir();
  const home = join(directory.path, "home");
  const project = join(directory.path, "project");
  const stateDirectory = join(home, "state");
  for (const path of [home, project]) mkdirSync(path);
  const original = as.program ?? executable(variant);
  const program = as.uid === undefined ? original : giveTo(as.uid, { directory: directory.path, program: original });
  const prefix = as.uid === undefined ? [] : ["setpriv", `--reuid=${as.uid}`, `--regid=${as.uid}`, "--clear-groups"];
  const env = {
    PATH: `${dirname(program)}:${process.env["PATH"]}`,
    HOME: home,
    AGENT_STATE_DIR: stateDirectory,
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_CACHE_HOME: join(home, "cache"),
  };
  let scripts = 0;

  function spawn(argv: readonly string[], options: StartOptions = {}): AgentProcess {
    const child = Bun.spawn([...prefix, ...argv], {
      cwd: options.cwd ?? project,
      env: { ...env, ...options.env },
      stdin: options.stdin === undefined ? "ignore" : new TextEncoder().encode(options.stdin),
      stdout: "pipe",
      stderr: "pipe",
    });
    const stdout = options.readsStdout === true ? Promise.resolve("") : new Response(child.stdout).text();
    let stderrSoFar = "";
    const stderr = (async () => {
      const decoder = new TextDecoder();
      for await (const chunk of child.stderr) stderrSoFar += decoder.decode(chunk, { stream: true });
      return stderrSoFar;
    })();
    return {
      pid: child.pid,
      stdout: child.stdout,
      stderrSoFar: () => stderrSoFar,
      kill: (signal) => child.kill(signal),
      ended: (async () => {
        await child.exited;
        return { stdout: await stdout, stderr: await stderr, exitCode: child.exitCode, signal: child.signalCode === null ? null : String(child.signalCode) };
      })(),
    };
  }

  const start: AgentUser["start"] = (args, options) => spawn([program, ...args], options);
  return {
    home,
    project,
    stateDirectory,
    env,
    start,
    run: (args, options) => start(args, options).ended,
    shell: (script, options) => spawn(["bash", "-c", script, ...(options?.argv ?? [])], options).ended,
    script(turns, options = {}) {
      const file = join(home, `script-${++scripts}.json`);
      writeFileSync(file, JSON.stringify({ v: 1, turns, ...options }));
      return `scripted:${file}`;
    },
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

/** Makes all below the directory a user's own, with a copy of the program: the original may lie where they cannot look. */
function giveTo(uid: number, { directory, program }: { readonly directory: string; readonly program: string }): string {
  const copy = join(directory, "bin", "agent");
  mkdirSync(dirname(copy));
  copyFileSync(program, copy);
  chmodSync(copy, 0o755);
  for (const path of [directory, ...readdirSync(directory).map((name) => join(directory, name))]) chownSync(path, uid, uid);
  return copy;
}
