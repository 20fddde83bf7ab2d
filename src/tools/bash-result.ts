import type { ToolOutput } from "../core/agent.ts";
import { type OutputExcerpt, outputExcerpt } from "../lib/output-excerpt.ts";
import { describeExit, type ForegroundOutcome, type ShellTask } from "../tasks/local_bash/index.ts";

/** Leaves room for the notes within the 30 kB of a result. */
const OUTPUT_BYTES_SHOWN = 28_000;

/** What the model reads of a command it waited for: the output, then what else there is to know, a line each. */
export function shellResult(outcome: ForegroundOutcome, shell: ShellTask): ToolOutput {
  const excerpt = outputExcerpt(shell.output(), { bytesMax: OUTPUT_BYTES_SHOWN });
  const lines = [excerpt.text.trimEnd(), ...endingNotes(outcome, shell)];
  lines.push(...outputNotes(shell, excerpt));
  const content = lines.filter((line) => line !== "").join("\n");
  return { content: content === "" ? "(no output)" : content, ...(isFailure(outcome) ? { isError: true } : {}) };
}

/** Where the output is that is not shown, and what is nowhere. */
function outputNotes(shell: ShellTask, { isShortened }: OutputExcerpt): string[] {
  const failure = shell.outputFailure();
  if (failure !== undefined) return [`Output beyond what is shown here was not kept: ${failure.message}`];
  if (!isShortened) return [];
  const lost = shell.bytesDropped();
  return lost === 0
    ? [`The output is in ${shell.outputFile}`]
    : [`${lost} bytes of the output were not kept; its beginning is in ${shell.outputFile}, and what is kept of the rest is in files named ${shell.outputFile}.OFFSET`];
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
      ? ["A process that hides where it came from still holds the output open. It is no longer read, and TaskStop does not reach it"]
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
