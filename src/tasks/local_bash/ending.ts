import { constants } from "node:os";
import { exitFor } from "../../core/exit-code.ts";
import type { TaskOutputWriter } from "../../core/task-output.ts";
import type { TaskEnding } from "../../core/task-state.ts";
import { survivorsNote } from "../../engine/survivors-note.ts";
import type { ProcessExit } from "../../platform/spawn-shell.ts";
import type { Interruption } from "./interruptible-shell.ts";
import type { LocalBashDetail } from "./state.ts";

/** A shell of which nothing runs any more. */
export interface EndedShell {
  readonly exit: ProcessExit;
  readonly interruption: Interruption | undefined;
  readonly detail: LocalBashDetail;
  /** Processes that nothing could end. */
  readonly survivors: readonly number[];
}

/** What goes on record. Only a shell that ended by itself with exit code 0 is completed. */
export function shellEnding(ended: EndedShell): TaskEnding {
  const { exit, interruption, detail } = ended;
  const error = (text: string) => ({ error: `${text}${survivorsNote(ended.survivors)}`, detail });
  switch (interruption?.type) {
    case "timeout":
      return { status: "failed", exit: exitFor("timeout"), ...error(`Killed after ${interruption.timeoutMs / 1_000} s, its time limit`) };
    case "storage":
      return { status: "failed", exit: exitFor("storage"), ...error(interruption.error.message) };
    case "stop":
      return { status: "killed", exit: exitFor("killed"), ...error("Stopped on request") };
    case undefined:
      if (exit.exitCode === 0) return { status: "completed", exit: exitFor("ok"), detail };
      return { status: "failed", exit: exitFor("failed"), ...error(describeExit(exit)) };
  }
}

/** The detail of a shell that was started, completed by what became of it. */
export function endedDetail(
  started: LocalBashDetail,
  ended: Pick<EndedShell, "exit" | "interruption"> & { readonly written: Pick<TaskOutputWriter, "bytesWritten" | "bytesDropped"> },
): LocalBashDetail {
  const { exit, interruption, written } = ended;
  return {
    ...started,
    exitCode: exit.exitCode,
    signal: exit.signal,
    timedOut: interruption?.type === "timeout",
    interrupted: interruption?.type === "stop",
    bytesWritten: written.bytesWritten,
    bytesDropped: written.bytesDropped,
  };
}

/** `Exit code 3`; where a signal ended the shell, or a program of it as 128 + n says, with the signal's name. */
export function describeExit(exit: ProcessExit): string {
  if (exit.exitCode === null) return exit.signal === null ? "Exit code unknown" : `Ended by signal ${exit.signal}`;
  const signal = signalName(exit.exitCode - 128);
  return `Exit code ${exit.exitCode}${signal === undefined ? "" : ` (${signal})`}`;
}

function signalName(number: number): string | undefined {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
}
