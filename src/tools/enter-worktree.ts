import { z } from "zod";
import type { Tool } from "../core/agent.ts";
import { AppError } from "../core/errors.ts";
import { lazySchema } from "../core/schema.ts";
import { isolatedDirectories } from "../engine/worktree/isolated-directories.ts";
import { noteWorktree } from "../engine/worktree/note-worktree.ts";
import { loadIsolation } from "../engine/worktree/registry.ts";
import { readWorktreeRecord } from "../engine/worktree/worktree-record.ts";
import description from "./enter-worktree.md" with { type: "text" };

const inputSchema = lazySchema("EnterWorktreeInput", () => z.strictObject({ carry_changes: z.boolean().optional().describe("Take what is not committed along") }));
type EnterWorktreeInput = z.infer<ReturnType<typeof inputSchema>>;

/** Moves an agent into a git worktree of its own: a new one, or the one that it has left before with changes in it. */
export const enterWorktreeTool: Tool<EnterWorktreeInput> = {
  name: "EnterWorktree",
  description,
  inputSchema,
  access: () => ({ kind: "none" }),
  isReadOnly: () => false,
  isConcurrencySafe: () => false,
  maxResultBytes: 4_000,
  async call({ carry_changes: carriesChanges = false }, { agentId: id, host, place }, { signal }) {
    const { cwd, directories } = place.current();
    if (place.hasMoved() || [...host.worktrees.values()].some((worktree) => worktree.cwdInside === cwd)) {
      throw new AppError("conflict", `Cannot enter a worktree: you work in one already, "${cwd}"`, { code: "in_worktree" });
    }
    const { isolateTask, resumeIsolation } = await loadIsolation();
    const isKnown = readWorktreeRecord(host.statePath, id) !== undefined;
    const { worktree, warnings } = isKnown ? { worktree: await resumeIsolation(id, host), warnings: [] } : await isolateTask({ id, cwd, carriesChanges }, host, signal);
    const inside = { cwd: worktree.cwdInside, directories: isolatedDirectories(directories, worktree) };
    await noteWorktree(worktree, { hasLeftWorktree: false }, host);
    place.enter(inside);
    return { content: [`You work in "${inside.cwd}" now, on the branch "${worktree.branch}"${isKnown ? ", with what you changed there before" : ""}.`, ...warnings].join("\n") };
  },
};
