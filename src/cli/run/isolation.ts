import { AppError } from "../../core/errors.ts";
import type { IsolationRequest } from "../../runtime/run-request.ts";
import type { ArgumentValues } from "../command.ts";
import type { RUN_ARGUMENTS } from "./arguments.ts";
import type { ResumeTarget } from "./resolve-resume.ts";

/** Whether and how a run is to work in a worktree of its own. Throws an `AppError` of reason `usage` for what does not go together. */
export function isolationOf(values: Pick<ArgumentValues<typeof RUN_ARGUMENTS>, "isolation" | "base" | "carry-changes" | "cwd" | "exec" | "ephemeral">, resumed: ResumeTarget | undefined): IsolationRequest | undefined {
  const isAsked = values.isolation === "worktree";
  const { base, "carry-changes": carries } = values;
  if (!isAsked && base !== undefined) throw contradiction("Only a run in isolation begins with another commit: add --isolation worktree, or leave out --base");
  if (!isAsked && carries === true) throw contradiction("Only a run in isolation has changes to carry along: add --isolation worktree, or leave out --carry-changes");
  if (resumed !== undefined) {
    if (isAsked) throw contradiction("A conversation stays where it began: leave out --isolation, or --continue and --resume");
    if (resumed.isIsolated && values.cwd !== undefined) throw contradiction("A conversation in isolation stays in its worktree: leave out --cwd");
    return resumed.isIsolated ? { type: "worktree", carriesChanges: false } : undefined;
  }
  if (!isAsked) return undefined;
  if (values.exec === true) throw contradiction("Only agents work in isolation: leave out --exec or --isolation");
  if (values.ephemeral === true) throw contradiction("A worktree that leaves nothing behind would lose its changes: leave out --ephemeral or --isolation");
  if (base !== undefined && carries === true) throw contradiction("Changes can be carried to the current commit only: leave out --base or --carry-changes");
  return { type: "worktree", carriesChanges: carries === true, ...(base === undefined ? {} : { baseRef: base }) };
}

function contradiction(text: string): AppError {
  return new AppError("usage", text, { code: "contradiction" });
}
