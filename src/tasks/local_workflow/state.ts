import { z } from "zod";
import { lazySchema } from "../../core/schema.ts";

/** What the record of a workflow adds to the base fields. */
export const localWorkflowDetailSchema = lazySchema("localWorkflowDetail", () =>
  z.object({
    /** Absolute path of the script. */
    workflowScript: z.string(),
    /** SHA-256 of the script as it was started, in hexadecimal: a resumed run can tell that it was edited. */
    workflowScriptDigest: z.string(),
    /** What the script was given. */
    workflowArguments: z.unknown().optional(),
    /** The phase that the script announced last. */
    workflowPhase: z.string().optional(),
  }),
);

export type LocalWorkflowDetail = z.infer<ReturnType<typeof localWorkflowDetailSchema>>;
