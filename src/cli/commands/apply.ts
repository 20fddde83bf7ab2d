import { AppError } from "../../core/errors.ts";
import { applyWorktree, type ApplyMode } from "../../engine/worktree/apply-worktree.ts";
import { visibleText } from "../../lib/visible-text.ts";
import { defineCliCommand } from "../command.ts";
import { withWorktree } from "../tasks/with-worktree.ts";

export default defineCliCommand({
  name: "apply",
  description: "Take over what an agent has changed in its worktree",
  examples: ["agent apply ID", "agent apply --squash ID && git commit", "agent apply --merge ID"],
  args: {
    task: { type: "positional", description: "Id, beginning of an id, or name" },
    squash: { type: "boolean", description: "Stage the changes, as git merge --squash does" },
    merge: { type: "boolean", description: "Make a merge commit" },
    cherry: { type: "boolean", description: "Repeat its commits on the current branch" },
  },
  async run({ values, io }) {
    const modes = (["squash", "merge", "cherry"] as const).filter((mode) => values[mode] === true);
    if (modes.length > 1) throw new AppError("usage", "Cannot apply in several ways at once: give one of --squash, --merge and --cherry");
    const mode: ApplyMode = modes[0] ?? "changes";
    return await withWorktree({ io, reference: values.task, isInUse: "refused" }, async ({ id, record, world }) => {
      const outcome = await applyWorktree(record, mode, world);
      const kept = outcome.kept ? `; the worktree "${outcome.path}" stays: ${outcome.reason}; "agent discard ${id}" removes it` : "";
      const ref = outcome.ref === undefined ? "" : `; it is also kept as ${outcome.ref}`;
      await io.stderr.write(`agent: ${visibleText(`${DONE[mode]} "${record.worktree.repositoryRoot}"${ref}${kept}`)}\n`);
    });
  },
});

const DONE: Readonly<Record<ApplyMode, string>> = {
  changes: "Its changes are in",
  squash: "Its changes are staged in",
  merge: "Its commits are merged in",
  cherry: "Its commits are on the current branch of",
};
