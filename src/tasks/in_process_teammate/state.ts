import { z } from "zod";
import { PERMISSION_MODES } from "../../core/permission.ts";
import { lazySchema } from "../../core/schema.ts";

/** Who a teammate is. Plain data, so that it can stand in a record. */
const teammateIdentitySchema = lazySchema("teammateIdentity", () =>
  z.object({
    /** `agentName@teamName` */
    agentId: z.string(),
    agentName: z.string(),
    teamName: z.string(),
    color: z.string().optional(),
    /** Whether the leader must approve a plan before anything is changed. */
    planModeRequired: z.boolean(),
    /** The session of the leader. */
    parentSessionId: z.string(),
  }),
);

/** What the record of a teammate adds to the base fields. */
export const teammateDetailSchema = lazySchema("teammateDetail", () =>
  z.object({
    identity: teammateIdentitySchema(),
    prompt: z.string(),
    model: z.string().optional(),
    /** The agent definition that the teammate follows. */
    selectedAgent: z.string().optional(),
    /** The teammate's own; a change of the leader's mode leaves it alone. */
    permissionMode: z.enum(PERMISSION_MODES),
    awaitingPlanApproval: z.boolean(),
    /** Whether it waits for a message. */
    isIdle: z.boolean(),
    /** Whether the leader has asked it to end. */
    shutdownRequested: z.boolean(),
  }),
);

export type TeammateDetail = z.infer<ReturnType<typeof teammateDetailSchema>>;
