import { z } from "zod";
import { lazySchema } from "../../core/schema.ts";

/** What the record of a remote agent adds to the base fields. */
export const remoteAgentDetailSchema = lazySchema("remoteAgentDetail", () =>
  z.object({
    prompt: z.string(),
    /** Names the work in the engine that distributes it. */
    remoteId: z.string(),
    /** Set for the agent that only plans, for longer and with more effort than one here would. */
    isUltraplan: z.boolean().optional(),
    /** Where such planning stands, once it is more than under way. */
    ultraplanPhase: z.enum(["needs_input", "plan_ready"]).optional(),
  }),
);

export type RemoteAgentDetail = z.infer<ReturnType<typeof remoteAgentDetailSchema>>;
