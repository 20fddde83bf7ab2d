import { z } from "zod";
import type { Tool } from "../core/agent.ts";
import { AppError } from "../core/errors.ts";
import { lazySchema } from "../core/schema.ts";
import { noteWorktree } from "../engine/worktree/note-worktree.ts";
import { loadIsolation } from "../engine/worktree/registry.ts";
import description from "./exit-worktree.md" with { type: "text" };

const inputSchema = lazySchema("ExitWorktreeInput", () => z.strictObject({}));
type ExitWorktreeInput = z.infer<ReturnType<typeof inputSchema>>;

/** Moves an agent back to where it began. Its worktree goes where nothing was changed in it, and stays in any other case. */
export const exitWorktreeTool: Tool<ExitWorktreeInput> = {
  name: "ExitWorktree",
  description,
  inputSchema,
  access: () => ({ kind: "none" }),
  isReadOnly: () => false,
  isConcurrencySafe: () => false,
  maxResultBytes: 4_000,
  async call(_input, { agentId: id, host, place }) {
    const worktree = host.worktrees.get(id);
    if (!place.hasMoved() || worktree === undefined) {
      throw new AppError("conflict", "Cannot leave a worktree: you have entered none. Isolation that you were started with lasts to your end", { code: "not_in_worktree" });
    }
    const { endIsolation } = await loadIsolation();
    const outcome = await endIsolation(worktree, host);
    place.leave();
    await noteWorktree(worktree, { hasLeftWorktree: true, worktree: outcome }, host);
    const became = outcome.kept ? `The worktree "${outcome.path}" on the branch "${outcome.branch}" stays: ${outcome.reason}.` : `The worktree is gone: ${outcome.reason}.`;
    return { content: `${became} You work in "${place.current().cwd}" again.` };
  },
};
