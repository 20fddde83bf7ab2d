import { z } from "zod";
import { CASSETTE_VERSION } from "./cassette.ts";
import { EXIT_REASONS } from "./exit-code.ts";
import { lazySchema } from "./schema.ts";

/** Of every line. */
const stamp = () => ({
  /** Milliseconds since the epoch. */
  ts: z.number(),
});

const ofAgent = () => ({
  ...stamp(),
  agent: z.string().regex(/^root(\/.+)?$/).describe("Whose line it is: the path of an agent, as root or root/1"),
});

const usage = () => z.looseObject({ input: z.number().optional(), output: z.number().optional(), cacheRead: z.number().optional(), cacheWrite: z.number().optional() });

const content = () =>
  z.discriminatedUnion("type", [
    z.looseObject({ type: z.literal("text"), text: z.string() }),
    z.looseObject({ type: z.literal("tool_use"), id: z.string(), name: z.string(), input: z.unknown() }),
    z.looseObject({ type: z.literal("tool_result"), tool_use_id: z.string(), content: z.string(), is_error: z.literal(true).optional() }),
    z.looseObject({ type: z.literal("thinking"), thinking: z.string(), signature: z.string() }),
    z.looseObject({ type: z.literal("redacted_thinking"), data: z.string() }),
    z.looseObject({ type: z.literal("unknown"), raw: z.record(z.string(), z.unknown()) }),
  ]);

const message = () => z.looseObject({ role: z.enum(["user", "assistant"]), content: z.array(content()) });

const wireBlock = () =>
  z.discriminatedUnion("type", [
    z.looseObject({ type: z.literal("text"), text: z.string() }),
    z.looseObject({ type: z.literal("tool_use"), id: z.string(), name: z.string() }),
    z.looseObject({ type: z.literal("thinking"), thinking: z.string(), signature: z.string() }),
    z.looseObject({ type: z.literal("redacted_thinking"), data: z.string() }),
    z.looseObject({ type: z.literal("unknown"), raw: z.record(z.string(), z.unknown()) }),
  ]);

const wireDelta = () =>
  z.discriminatedUnion("type", [
    z.looseObject({ type: z.literal("text_delta"), text: z.string() }),
    z.looseObject({ type: z.literal("input_json_delta"), partialJson: z.string() }),
    z.looseObject({ type: z.literal("thinking_delta"), thinking: z.string() }),
    z.looseObject({ type: z.literal("signature_delta"), signature: z.string() }),
    z.looseObject({ type: z.literal("unknown") }),
  ]);

const replyEvent = () =>
  z.discriminatedUnion("type", [
    z.looseObject({ type: z.literal("message_start"), usage: usage(), requestId: z.string().optional() }),
    z.looseObject({ type: z.literal("block_start"), index: z.number(), block: wireBlock() }),
    z.looseObject({ type: z.literal("block_delta"), index: z.number(), delta: wireDelta() }),
    z.looseObject({ type: z.literal("block_stop"), index: z.number() }),
    z.looseObject({ type: z.literal("message_delta"), stopReason: z.string().nullable(), usage: usage() }),
    z.looseObject({ type: z.literal("message_stop") }),
  ]);

const callEvent = () =>
  z.looseObject({
    type: z.enum(["tool_started", "tool_completed", "permission_denied", "permission_asked", "permission_allowed"]),
    call: z.looseObject({ type: z.literal("tool_use"), id: z.string(), name: z.string(), input: z.unknown() }),
  });

const lines = () => [
  z
    .looseObject({
      v: z.literal(CASSETTE_VERSION),
      type: z.literal("cassette"),
      ...stamp(),
      program: z.string().describe("The version of the program that recorded"),
      cwd: z.string(),
      home: z.string(),
      tmp: z.string(),
      resumed: z.literal(true).optional().describe("The conversation had begun before; such a recording cannot be replayed"),
    })
    .describe("The first line. A path of it counts as the same as its counterpart in a replay"),
  z
    .looseObject({
      ...ofAgent(),
      type: z.literal("model"),
      model: z.string(),
      limits: z.looseObject({ contextTokens: z.number(), outputTokensMax: z.number() }).optional(),
      error: z.looseObject({ reason: z.enum(EXIT_REASONS), code: z.string(), message: z.string() }).optional(),
    })
    .describe("A model was opened, or could not be"),
  z
    .looseObject({
      ...ofAgent(),
      type: z.literal("request"),
      model: z.string(),
      isWhole: z.literal(true).optional().describe("The reply was asked for in one piece"),
      system: z.array(z.string()).optional().describe("Absent: as in the request of the agent before"),
      tools: z.array(z.looseObject({ name: z.string(), description: z.string(), input_schema: z.record(z.string(), z.unknown()) })).optional().describe("Absent: as in the request of the agent before"),
      messages: z.looseObject({ kept: z.number().int().min(0), added: z.array(message()) }).describe("The first messages of the request before, as many as `kept`, then `added`"),
      maxOutputTokens: z.number(),
    })
    .describe("What the model was asked; other members are parameters of the request"),
  z
    .looseObject({
      ...ofAgent(),
      type: z.literal("reply"),
      events: z.array(replyEvent()),
      error: z
        .looseObject({ class: z.enum(["auth", "retryable", "rate_limit", "too_long", "invalid", "not_found", "billing", "script", "aborted"]), message: z.string() })
        .optional()
        .describe("How the reply failed after these events"),
    })
    .describe("What the model answered to the request before it, as a stream of events"),
  z.looseObject({ ...ofAgent(), type: z.literal("results"), events: z.array(callEvent()), message: message() }).describe("What came of the calls of the reply before it"),
  z.looseObject({ ...ofAgent(), type: z.literal("kept"), path: z.string() }).describe("A result that was too large for the conversation was put away"),
  z
    .looseObject({
      ...ofAgent(),
      type: z.literal("input"),
      at: z.enum(["pending", "ended", "interrupted"]),
      input: z.array(z.looseObject({ text: z.string() })).nullable().describe("Null: nothing more came"),
    })
    .describe("What came into the conversation from outside"),
  z.looseObject({ ...ofAgent(), type: z.literal("state"), state: z.looseObject({ todos: z.array(z.string()), runningTasks: z.array(z.string()), recentFiles: z.array(z.string()) }) }).describe("What the agent was reminded of when its conversation was shortened"),
  z.looseObject({ ...ofAgent(), type: z.literal("random"), value: z.number() }).describe("A random number that a decision hung on"),
  z.looseObject({ ...ofAgent(), type: z.literal("answer"), text: z.string() }).describe("A tool gave the final answer"),
  z.looseObject({ ...ofAgent(), type: z.literal("stop"), scope: z.enum(["run", "turn"]), reason: z.string(), message: z.string() }).describe("Somebody or a limit ended the turn or the run"),
  z
    .looseObject({
      ...ofAgent(),
      type: z.literal("event"),
      after: z.number().int().min(0).describe("How many events of the agent's own work stand before it"),
      body: z.looseObject({ type: z.string(), task_id: z.string(), parent_task_id: z.string().nullable() }),
    })
    .describe("An event of the run that comes from elsewhere than the agent's own work, as from its tasks; agents are named by path in it"),
  z
    .looseObject({
      ...stamp(),
      type: z.literal("end"),
      reason: z.enum(EXIT_REASONS),
      error: z.looseObject({ code: z.string(), message: z.string(), retryable: z.boolean(), request_id: z.string().nullable() }).optional(),
      result: z.string(),
      structured_output: z.unknown(),
      children: z.array(z.looseObject({ task_id: z.string() })),
    })
    .describe("How the run ended; absent where it did not come to its end"),
] as const;

/** A line of a cassette, told apart by `type`. Readers ignore members that they do not know. */
export const cassetteLineSchema = lazySchema("cassetteLine", () => z.discriminatedUnion("type", lines()));
