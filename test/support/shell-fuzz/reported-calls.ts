import { basename, isAbsolute, join } from "node:path";
import type { ShellAnalysis, ShellWord } from "../../../src/core/shell-command.ts";
import { everyCommand } from "../../../src/permissions/every-command.ts";
import { resolveRealPath } from "../../../src/platform/resolve-real-path.ts";
import type { CanaryCall } from "./canary-world.ts";

/** Whether an analysis says of itself that it did not see everything. */
export function isOpaque(analysis: ShellAnalysis): boolean {
  return analysis.opaque !== undefined || everyCommand(analysis).some(({ inner }) => inner?.analysis.opaque !== undefined);
}

/** Whether a program that was started is among the commands that were reported, with these words and at this place. */
export function isReported(call: CanaryCall, analysis: ShellAnalysis, work: string): boolean {
  return everyCommand(analysis).some(({ words: [program, ...args], directories }) => {
    const [name = "", ...actual] = call.words;
    if (program?.value === undefined || basename(program.value) !== name || !mayBecome(args, actual)) return false;
    return directories.some((directory) => resolveRealPath(isAbsolute(directory) ? directory : join(work, directory)) === call.directory);
  });
}

/** Whether the shell may have made these arguments of these words. */
function mayBecome(words: readonly ShellWord[], actual: readonly string[]): boolean {
  const [word, ...rest] = words;
  if (word === undefined) return actual.length === 0;
  const [next, ...others] = actual;
  if (!word.isMultiple) return next !== undefined && (word.value === undefined ? next.startsWith(word.prefix) : next === word.value) && mayBecome(rest, others);
  if (mayBecome(rest, actual)) return true;
  if (next === undefined || (word.glob !== undefined && !next.startsWith(word.prefix))) return false;
  return mayBecome(words, others);
}
