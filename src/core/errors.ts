import type { ExitReason } from "./exit-code.ts";

/**
 * A failure somebody can act on: bad input, a missing task, a full disk. Its message names the action, the value and
 * what to do; its reason decides the exit status. Everything else that is thrown is a defect and ends as `internal`.
 */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly reason: ExitReason;
  /** Finer than the reason, for machines: `unknown_flag`, `task_terminal` … */
  readonly code: string;

  constructor(reason: ExitReason, message: string, options: { readonly code?: string; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = reason;
    this.code = options.code ?? reason;
  }
}

/** The `code` of a failed system call (`ENOENT`, `EEXIST` …), or undefined. */
export function systemErrorCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** The text of anything that was thrown. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
