import { discardWorktree } from "../../engine/worktree/discard-worktree.ts";
import { visibleText } from "../../lib/visible-text.ts";
import { defineCliCommand } from "../command.ts";
import { withWorktree } from "../tasks/with-worktree.ts";

export default defineCliCommand({
  name: "discard",
  description: "Throw away what an agent has changed in its worktree",
  examples: ["agent discard ID"],
  args: {
    task: { type: "positional", description: "Id, beginning of an id, or name" },
  },
  async run({ values, io }) {
    return await withWorktree({ io, reference: values.task, isInUse: "refused" }, async ({ record, world }) => {
      const { ref } = await discardWorktree(record, world);
      if (ref === undefined) return;
      await io.stdout.write(`${ref}\n`);
      await io.stderr.write(`agent: ${visibleText(`What was in it, but ignored files, is kept as ${ref} in "${record.worktree.repositoryRoot}"; "git update-ref -d ${ref}" there forgets it`)}\n`);
    });
  },
});
