import { statSync } from "node:fs";
import { AppError, errorMessage, systemErrorCode } from "../core/errors.ts";
import type { ProcessIdentity } from "../core/task-host.ts";
import { openPipe, type Pipe, type PipeReader } from "./pipe.ts";
import { identifyProcess } from "./process-identity.ts";

export interface SpawnShellOptions {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The whole environment of the child. */
  readonly env: Readonly<Record<string, string>>;
  /** Calls what starts the process, at once; for whoever marks it. */
  readonly supervise?: (start: () => Bun.Subprocess) => Bun.Subprocess;
}

export interface SpawnedShell {
  readonly identity: ProcessIdentity;
  readonly exited: Promise<ProcessExit>;
  readonly stdout: PipeReader;
  readonly stderr: PipeReader;
}

/** How a process ended: one of the two is null. */
export interface ProcessExit {
  readonly exitCode: number | null;
  /** `SIGKILL` …; the number as text where it has no name. */
  readonly signal: string | null;
}

/**
 * Starts a program as the leader of a new session, and so of a new process group: it has no controlling terminal to ask
 * on, and can be ended with all it starts. Its stdin is empty; it inherits no descriptor beyond 2 and no ignored signal.
 *
 * Throws an `AppError` when the directory is gone (`cwd_gone`) or the program cannot be started (`spawn_failed`).
 */
export function spawnShell(options: SpawnShellOptions): SpawnedShell {
  const stdout = openPipe();
  const stderr = openSecondPipe(stdout);
  try {
    const start = (): Bun.Subprocess =>
      Bun.spawn([...options.argv], {
        cwd: options.cwd,
        env: options.env,
        stdio: ["ignore", stdout.writer, stderr.writer],
        detached: true,
      });
    const child = options.supervise === undefined ? start() : options.supervise(start);
    return {
      identity: identifyProcess(child.pid) ?? { pid: child.pid, startTime: "unknown", bootId: "unknown" },
      exited: child.exited.then(() => exitOf(child)),
      stdout: stdout.reader,
      stderr: stderr.reader,
    };
  } catch (error) {
    void stdout.reader.close();
    void stderr.reader.close();
    throw spawnError(error, options);
  } finally {
    stdout.closeWriter();
    stderr.closeWriter();
  }
}

/** Where there is no second one, the first is not left open. */
function openSecondPipe(first: Pipe): Pipe {
  try {
    return openPipe();
  } catch (error) {
    first.closeWriter();
    void first.reader.close();
    throw error;
  }
}

function exitOf(child: Bun.Subprocess): ProcessExit {
  if (child.signalCode !== null) return { exitCode: null, signal: String(child.signalCode) };
  return { exitCode: child.exitCode, signal: null };
}

/** The system names the program in the error even where the directory is what is missing. */
function spawnError(error: unknown, options: SpawnShellOptions): AppError {
  if (!isDirectory(options.cwd)) {
    return new AppError("not_found", `Cannot run a command in "${options.cwd}": there is no such directory any more`, {
      code: "cwd_gone",
      cause: error,
    });
  }
  const why = WHY[systemErrorCode(error) ?? ""] ?? errorMessage(error);
  return new AppError("failed", `Cannot start "${options.argv[0]}": ${why}`, { code: "spawn_failed", cause: error });
}

const WHY: Readonly<Record<string, string>> = {
  ENOENT: "there is no such program",
  EACCES: "it cannot be executed",
  E2BIG: "the command and the environment are too long; write the command to a file and run that",
  EAGAIN: "the system allows no more processes",
  ENOMEM: "the system has no memory left",
  EMFILE: "this process has too many files open",
};

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
