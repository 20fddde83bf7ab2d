import { AppError, errorMessage, systemErrorCode } from "../core/errors.ts";

export interface SpawnPipedOptions {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The whole environment of the child. */
  readonly env: Readonly<Record<string, string>>;
  /** Calls what starts the process, at once; for whoever marks it. */
  readonly supervise: (start: () => PipedProcess) => PipedProcess;
}

export type PipedProcess = Bun.Subprocess<"pipe", "pipe", "pipe">;

/**
 * Starts a program that is talked to, as the leader of a new session: it has no controlling terminal, and can be ended
 * with all it starts. Throws an `AppError` with code `spawn_failed` where it cannot be started.
 */
export function spawnPiped(options: SpawnPipedOptions): PipedProcess {
  const { argv, cwd, env, supervise } = options;
  try {
    return supervise(() => Bun.spawn([...argv], { cwd, env, stdin: "pipe", stdout: "pipe", stderr: "pipe", detached: true }));
  } catch (error) {
    const why = systemErrorCode(error) === "ENOENT" ? "there is no such program" : errorMessage(error);
    throw new AppError("failed", `cannot start "${argv[0]}": ${why}`, { code: "spawn_failed", cause: error });
  }
}
