import { z } from "zod";
import { lazySchema } from "../../core/schema.ts";

/** What the record of a dream adds to the base fields. */
export const dreamDetailSchema = lazySchema("dreamDetail", () =>
  z.object({
    /** The sessions that are looked at. */
    reviewedSessions: z.array(z.string()).readonly(),
    /** Where the proposals are written; nothing else is. */
    proposalsFile: z.string(),
    /** How many proposals stand there. */
    proposalCount: z.number().int().nonnegative(),
  }),
);

export type DreamDetail = z.infer<ReturnType<typeof dreamDetailSchema>>;
