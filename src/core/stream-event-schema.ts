import { z } from "zod";
import { EVENT_VERSION } from "./event-version.ts";
import { PERMISSION_MODES } from "./permission.ts";
import { lazySchema } from "./schema.ts";
import { exitSchema } from "./task-schema.ts";
import { BUDGET_SCOPES } from "./token-budget.ts";
import { TASK_STATUSES, TASK_TYPES } from "./task.ts";

/** A payload that was too large for a line: where it stands instead. */
const contentRef = () =>
  z.object({ file: z.string(), offset: z.number(), bytes: z.number(), sha256: z.string() });

const common = () => ({
  v: z.literal(EVENT_VERSION),
  /** Strictly one more than the event before, over all tasks of a run. Absent on partial deltas alone. */
  seq: z.number().int().positive(),
  /** Milliseconds since the epoch. */
  ts: z.number(),
  run_id: z.string(),
  task_id: z.string(),
  parent_task_id: z.string().nullable(),
  /** Where the whole event stands when it was too large for a line; then its large fields are empty here. */
  ref: contentRef().optional(),
});

const usage = () =>
  z.object({ input: z.number(), output: z.number(), cache_read: z.number(), cache_write: z.number() });

const runStarted = () =>
  z.object({
    ...common(),
    type: z.literal("run.started"),
    version: z.string(),
    flags: z.record(z.string(), z.boolean()),
    session_id: z.string(),
    cwd: z.string(),
    model: z.string().nullable(),
    tools: z.array(z.string()),
    /** The run is made out of a recording: no model is asked and no tool runs. */
    replay: z.literal(true).optional(),
    permission_mode: z.enum(PERMISSION_MODES),
    limits: z.object({
      max_turns: z.number().nullable(),
      timeout_ms: z.number().nullable(),
      /** How long nothing may happen. */
      idle_timeout_ms: z.number().nullable(),
      max_budget_usd: z.number().nullable(),
      max_tokens: z.number().nullable(),
      max_tool_calls: z.number().nullable(),
      /** What the model is told to get by with; a hint. */
      task_budget_tokens: z.number().nullable(),
      /** How long a limit of the service is waited for where it was asked for. */
      wait_for_limit_ms: z.number().nullable(),
      /** Null where it is not known any more. */
      output_quota_bytes: z.number().nullable(),
      run_output_quota_bytes: z.number().nullable(),
    }),
    /** Made from the record, because the run could not write it: what only the run knew is empty. */
    recovered: z.literal(true).optional(),
  });

const messageCompleted = () =>
  z.object({
    ...common(),
    type: z.literal("message.completed"),
    role: z.enum(["assistant", "user"]),
    content: z.array(z.record(z.string(), z.unknown())),
    usage: usage().optional(),
  });

const toolStarted = () =>
  z.object({
    ...common(),
    type: z.literal("tool.started"),
    tool_use_id: z.string(),
    name: z.string(),
    input: z.unknown(),
  });

const toolCompleted = () =>
  z.object({
    ...common(),
    type: z.literal("tool.completed"),
    tool_use_id: z.string(),
    name: z.string(),
    is_error: z.boolean(),
    duration_ms: z.number(),
    content: z.string(),
  });

const permissionRequested = () =>
  z.object({
    ...common(),
    type: z.literal("permission.requested"),
    tool_use_id: z.string(),
    tool: z.string(),
    input: z.unknown(),
    /** Why nothing decides. */
    reason: z.string(),
    /** The rules that would allow the call. */
    suggestions: z.array(z.string()),
  });

const permissionResolved = () =>
  z.object({
    ...common(),
    type: z.literal("permission.resolved"),
    tool_use_id: z.string(),
    tool: z.string(),
    decision: z.enum(["allow", "deny"]),
    by: z.object({
      rule: z.string().nullable(),
      layer: z.string().nullable(),
      reason: z.string(),
      /** The rules that a person allowed together with the call. */
      grants: z.array(z.string()).optional(),
    }),
  });

const taskStarted = () =>
  z.object({
    ...common(),
    type: z.literal("task.started"),
    task_type: z.enum(TASK_TYPES),
    status: z.enum(TASK_STATUSES),
    description: z.string(),
    output_file: z.string(),
    is_backgrounded: z.boolean(),
    tool_use_id: z.string().nullable(),
  });

const taskResumed = () =>
  z.object({
    ...common(),
    type: z.literal("task.resumed"),
    attempt: z.number().int().min(2),
    task_type: z.enum(TASK_TYPES),
    description: z.string(),
    output_file: z.string(),
  });

/** A notice that has come into the conversation of the task that the event names. */
const taskNotification = () =>
  z.object({
    ...common(),
    type: z.literal("task.notification"),
    notification_id: z.string(),
    /** The task that ended. */
    about_task_id: z.string(),
  });

/** A message from outside that has come into the conversation. */
const messageDelivered = () =>
  z.object({
    ...common(),
    type: z.literal("message.delivered"),
    message_id: z.string(),
  });

const taskUpdated = () =>
  z.object({
    ...common(),
    type: z.literal("task.updated"),
    status: z.enum(TASK_STATUSES),
    exit: exitSchema().nullable(),
    error: z.string().nullable(),
  });

const taskProgress = () =>
  z.object({
    ...common(),
    type: z.literal("task.progress"),
    token_count: z.number(),
    tool_use_count: z.number(),
    recent_activities: z.array(z.string()),
  });

const apiRetry = () =>
  z.object({
    ...common(),
    type: z.literal("api.retry"),
    attempt: z.number(),
    delay_ms: z.number(),
    error: z.string(),
  });

/** The conversation goes on with another model. */
const modelFallback = () => z.object({ ...common(), type: z.literal("model.fallback"), from: z.string(), to: z.string(), reason: z.string() });

/** What is sent of the conversation was made shorter; token counts are estimates. */
const contextCompacted = () =>
  z.object({
    ...common(),
    type: z.literal("context.compacted"),
    layer: z.enum(["clear_results", "snip", "summary"]),
    tokens_before: z.number(),
    tokens_after: z.number(),
  });

const budgetUse = () => ({
  ...common(),
  scope: z.enum(BUDGET_SCOPES),
  /** In the unit of the scope: US dollars, tokens or calls. */
  used: z.number(),
  limit: z.number(),
});

/** Four fifths of a limit are used up. Once for each scope. */
const budgetWarning = () => z.object({ ...budgetUse(), type: z.literal("budget.warning") });

/** Something was refused because of a limit. Once for each scope. */
const budgetExceeded = () => z.object({ ...budgetUse(), type: z.literal("budget.exceeded") });

const outputTruncated = () =>
  z.object({
    ...common(),
    type: z.literal("output.truncated"),
    /** Whose limit it was. With `run`, the numbers are those of all tasks so far, and the task is the first that lost. */
    scope: z.enum(["task", "run"]),
    output_file: z.string(),
    bytes_kept: z.number(),
    bytes_dropped: z.number(),
  });

const log = () =>
  z.object({
    ...common(),
    type: z.literal("log"),
    level: z.enum(["error", "warn", "info", "debug"]),
    message: z.string(),
  });

/** The one last line of a run, and the whole of `--output-format json`. */
const runResultSchema = lazySchema("runResult", () =>
  z.object({
    ...common(),
    type: z.literal("run.result"),
    session_id: z.string(),
    status: z.enum(["completed", "failed", "killed"]),
    exit: exitSchema(),
    result: z.string(),
    /** The answer of a run with --json-schema; null without one. The text in `result` is the same as JSON. */
    structured_output: z.unknown(),
    num_turns: z.number(),
    duration_ms: z.number(),
    api_duration_ms: z.number(),
    usage: usage().extend({ by_model: z.record(z.string(), usage()) }),
    /** Null where a price is not known. */
    cost: z.object({ usd: z.number().nullable(), estimated: z.boolean(), by_model: z.record(z.string(), z.number().nullable()) }),
    permission_denials: z.array(
      z.object({
        /** The agent whose call it was; absent for the one that the run is. */
        task_id: z.string().optional(),
        tool: z.string(),
        input_digest: z.string(),
        rule: z.string().nullable(),
        layer: z.string().nullable(),
        reason: z.string(),
      }),
    ),
    children: z.array(
      z.object({
        task_id: z.string(),
        type: z.enum(TASK_TYPES),
        status: z.enum(TASK_STATUSES),
        exit_code: z.number().nullable(),
        required: z.boolean(),
        output_file: z.string(),
        /** Of an agent, without those that it started. */
        tokens: z.number().optional(),
        /** Null where a price is not known. */
        cost_usd: z.number().nullable().optional(),
      }),
    ),
    /** The worktree of a run in isolation. */
    worktree: z
      .object({
        path: z.string(),
        branch: z.string(),
        /** The commit that it began with. */
        base: z.string(),
        /** Whether it differs from its base, or may. */
        changed: z.boolean(),
        kept: z.boolean(),
        /** Why it was kept, or removed. */
        reason: z.string(),
        /** Once it was applied or discarded: the ref of a commit that holds all of its content but ignored files. */
        ref: z.string().nullable(),
      })
      .optional(),
    warnings: z.array(z.string()),
    error: z
      .object({
        code: z.string(),
        message: z.string(),
        retryable: z.boolean(),
        request_id: z.string().nullable(),
      })
      .optional(),
    /** Set where a reaper wrote the line because the run's owner had vanished. */
    recovered: z.literal(true).optional(),
  }),
);

/** All events, told apart by `type`. Consumers ignore types that they do not know. */
export const runEventSchema = lazySchema("runEvent", () =>
  z.discriminatedUnion("type", [
    runStarted(),
    messageCompleted(),
    toolStarted(),
    toolCompleted(),
    permissionRequested(),
    permissionResolved(),
    taskStarted(),
    taskResumed(),
    taskNotification(),
    messageDelivered(),
    taskUpdated(),
    taskProgress(),
    apiRetry(),
    modelFallback(),
    contextCompacted(),
    budgetWarning(),
    budgetExceeded(),
    outputTruncated(),
    log(),
    runResultSchema(),
  ]),
);
