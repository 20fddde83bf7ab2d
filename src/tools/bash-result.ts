import type { ToolOutput } from "../core/agent.ts";
import { outputExcerpt } from "../lib/output-excerpt.ts";
import { describeExit, type ForegroundOutcome, type ShellTask } from "../tasks/local_bash/index.ts";

/** Leaves room for the notes within the 30 kB of a result. */
const OUTPUT_BYTES_SHOWN = 28_000;

/** What the model reads of a command it waited for: the output, then what else there is to know, a line each. */
export function shellResult(outcome: ForegroundOutcome, shell: ShellTask): ToolOutput {
  const excerpt = outputExcerpt(shell.output(), { bytesMax: OUTPUT_BYTES_SHOWN });
  const lines = [excerpt.text.trimEnd(), ...endingNotes(outcome, shell)];
  if (excerpt.isShortened) lines.push(whereTheRestIs(shell));
  const content = lines.filter((line) => line !== "").join("\n");
  return { content: content === "" ? "(no output)" : content, ...(isFailure(outcome) ? { isError: true } : {}) };
}

function whereTheRestIs(shell: ShellTask): string {
  return shell.bytesDropped() === 0
    ? `The whole output is in ${shell.outputFile}`
    : `The beginning of the output, as far as an output file may grow, is in ${shell.outputFile}`;
}

function endingNotes(outcome: ForegroundOutcome, shell: ShellTask): string[] {
  const exit = describeExit(outcome.exit);
  if (outcome.type === "lingering") {
    return [
      `${exit}; the shell has exited but left ${processes(outcome.pids)} running. ` +
        `They go on as background task ${shell.id}, with their output in ${shell.outputFile}; TaskStop ends them`,
    ];
  }
  return [
    ...(outcome.task.status === "completed" ? [] : [outcome.task.error ?? exit]),
    ...(outcome.isOutputHeld
      ? ["A process that made a session of its own still holds the output open. It is no longer read, and TaskStop does not reach it"]
      : []),
  ];
}

function processes(pids: readonly number[]): string {
  return `${pids.length === 1 ? "process" : "processes"} ${pids.slice(0, PIDS_SHOWN).join(", ")}${pids.length > PIDS_SHOWN ? " …" : ""}`;
}

const PIDS_SHOWN = 10;

function isFailure(outcome: ForegroundOutcome): boolean {
  return outcome.type === "ended" ? outcome.task.status !== "completed" : outcome.exit.exitCode !== 0;
}
