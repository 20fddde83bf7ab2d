import { AppError } from "../../core/errors.ts";
import { diffWorktree } from "../../engine/worktree/diff-worktree.ts";
import { visibleText } from "../../lib/visible-text.ts";
import { defineCliCommand } from "../command.ts";
import { withWorktree } from "../tasks/with-worktree.ts";

export default defineCliCommand({
  name: "diff",
  description: "Show what an agent has changed in its worktree",
  examples: ["agent diff ID", "agent diff --stat ID", "agent diff ID | git apply --check"],
  args: {
    task: { type: "positional", description: "Id, beginning of an id, or name" },
    stat: { type: "boolean", description: "Only how much of which files" },
    "name-only": { type: "boolean", description: "Only which files, and what became of them" },
  },
  async run({ values, io }) {
    if (values.stat === true && values["name-only"] === true) throw new AppError("usage", "Cannot use --stat together with --name-only: give one of them");
    const form = values.stat === true ? "stat" : values["name-only"] === true ? "names" : "patch";
    return await withWorktree({ io, reference: values.task, isInUse: "fine" }, async ({ record, world }) => {
      const diff = await diffWorktree(record, form, world);
      if (!io.isStdoutTty) return await io.stdout.writeBytes(diff);
      // On a terminal what is in the files must not act on it.
      await io.stdout.write(visibleText(new TextDecoder().decode(diff)));
    });
  },
});
