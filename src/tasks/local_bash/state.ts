import { z } from "zod";
import { lazySchema } from "../../core/schema.ts";

/** What the record of a shell adds to the base fields. */
export const localBashDetailSchema = lazySchema("localBashDetail", () =>
  z.object({
    command: z.string(),
    /** What is run instead of a shell with the command. */
    argv: z.array(z.string()).optional(),
    /** Set where the output is watched line by line instead of waited for. */
    kind: z.literal("monitor").optional(),
    /** Of the shell: also its session and its process group. */
    pid: z.number().int().optional(),
    /** The command's own; null until it has ended, and where a signal ended it. */
    exitCode: z.number().int().nullable(),
    /** `SIGKILL` …, where a signal ended the shell. */
    signal: z.string().nullable(),
    /** Ended by its time limit. */
    timedOut: z.boolean(),
    /** Ended on request. */
    interrupted: z.boolean(),
    bytesWritten: z.number().int(),
    /** What the limit of the output file, or its failure, kept out of it. */
    bytesDropped: z.number().int(),
  }),
);

export type LocalBashDetail = z.infer<ReturnType<typeof localBashDetailSchema>>;
