import { z } from "zod";
import { EXIT_REASONS } from "./exit-code.ts";
import { lazySchema } from "./schema.ts";
import { TASK_STATUSES, TASK_TYPES } from "./task.ts";

/** How an attempt ended, as records and events carry it. */
export const exitSchema = lazySchema("exit", () =>
  z.object({
    code: z.number().int(),
    reason: z.enum(EXIT_REASONS),
  }),
);

/** The fields that every kind of task has (the detail of a kind is described by the kind). */
export const taskStateBaseSchema = lazySchema("taskStateBase", () =>
  z.object({
    /** Nine characters; older and foreign records may be longer. */
    id: z.string(),
    type: z.enum(TASK_TYPES),
    status: z.enum(TASK_STATUSES),
    description: z.string(),
    /** The call that started the task, where a model did. */
    toolUseId: z.string().optional(),
    startTime: z.number(),
    endTime: z.number().optional(),
    /** Time spent stopped by a signal or waiting for an approval. */
    totalPausedMs: z.number().optional(),
    outputFile: z.string(),
    /** How far the output has been handed to the task's parent, in bytes. */
    outputOffset: z.number(),
    /** Whether the one notice of this attempt has been given, or is not due. */
    notified: z.boolean(),
    /** Counts from 1; `resume` opens the next one. */
    attempt: z.number().int().positive(),
    runId: z.string(),
    sessionId: z.string(),
    parentTaskId: z.string().optional(),
    name: z.string().optional(),
    cwd: z.string(),
    /** False while somebody waits for the task in the foreground. */
    isBackgrounded: z.boolean().optional(),
    /** Set once the attempt is terminal. */
    exit: exitSchema().optional(),
    error: z.string().optional(),
  }),
);
