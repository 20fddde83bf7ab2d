import { z } from "zod";
import { lazySchema } from "../../core/schema.ts";

/** What an agent's record holds beyond the base. The agent id is the task id. */
export const localAgentDetailSchema = lazySchema("localAgentDetail", () =>
  z.object({
    agentId: z.string(),
    /** `main-session` for the root agent of a run. */
    agentType: z.string(),
    model: z.string(),
    /** The start of what the agent was asked to do. */
    prompt: z.string(),
    transcriptPath: z.string(),
    /** The text of the agent's last message; a partial one when it was stopped. */
    result: z.string().optional(),
    /** How many of its calls were refused. */
    denialCount: z.number().optional(),
    /** Whether the result is JSON that fits the schema of the run. */
    isStructured: z.boolean().optional(),
    /** Where the agent works in isolation. */
    worktreePath: z.string().optional(),
    worktreeBranch: z.string().optional(),
    /** Whether it has gone back to where it began, with the worktree still there. */
    hasLeftWorktree: z.boolean().optional(),
    /** The same, and what has become of it once the agent has ended. */
    worktree: z
      .object({
        path: z.string(),
        branch: z.string(),
        base: z.string(),
        changed: z.boolean().optional(),
        kept: z.boolean().optional(),
        reason: z.string().optional(),
        ref: z.string().optional(),
      })
      .optional(),
    progress: z
      .object({
        toolUseCount: z.number(),
        tokenCount: z.number(),
        lastActivity: z.string().optional(),
        /** The latest five, oldest first. */
        recentActivities: z.array(z.string()).optional(),
      })
      .optional(),
    turnCount: z.number().optional(),
    /** US dollars; null where the price of the model is not known. */
    costUsd: z.number().nullable().optional(),
  }),
);

export type LocalAgentDetail = z.infer<ReturnType<typeof localAgentDetailSchema>>;
