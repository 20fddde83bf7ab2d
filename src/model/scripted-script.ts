import { z } from "zod";
import { lazySchema } from "../core/schema.ts";
import { readScriptJson, unusableScript } from "./script-file.ts";

/**
 * What a scripted model says, turn by turn. The turn of a request is the number of assistant messages in it, so that a
 * resumed conversation goes on where it stood.
 */
const scriptSchema = lazySchema("script", () => {
  const result = z.strictObject({
    tool: z.string().optional(),
    contains: z.string().optional(),
    isError: z.boolean().optional(),
  });
  const expect = z.strictObject({
    /** Part of the latest text of the user. */
    prompt: z.string().optional(),
    /** The tool results that the latest message must hold, all of them in order. */
    results: z.array(result).optional(),
    /** Part of the system prompt. */
    system: z.string().optional(),
  });
  const part = z.union([
    z.strictObject({ text: z.string().min(1) }),
    z.strictObject({
      tool: z.string().min(1),
      input: z.record(z.string(), z.unknown()),
      /** Made from the conversation unless given. */
      id: z.string().regex(/^[\w-]+$/).optional(),
    }),
  ]);
  const error = z.strictObject({
    status: z.int().min(400).max(599),
    message: z.string(),
    retryAfterMs: z.int().nonnegative().optional(),
    /** How often the turn fails before its reply comes; for ever unless given. */
    times: z.int().positive().optional(),
  });
  const turn = z
    .strictObject({
      expect: expect.optional(),
      reply: z.array(part).optional(),
      /** `tool_use` for a reply with tool calls and `end_turn` for others, unless given. */
      stopReason: z.string().optional(),
      /** How long the reply lets itself be waited for. */
      delayMs: z.int().nonnegative().optional(),
      /** Characters in one delta; 16 unless given. */
      chunkChars: z.int().positive().optional(),
      error: error.optional(),
    })
    .refine((value) => value.reply !== undefined || (value.error !== undefined && value.error.times === undefined), {
      error: "a turn needs a reply, or an error without times",
    });
  return z.strictObject({
    v: z.literal(1),
    turns: z.array(turn).min(1),
    /** Whether the last turn answers every later request too. */
    repeatLast: z.boolean().optional(),
    /** The limits of the model; those of a model that is not known unless given. */
    contextTokens: z.int().positive().optional(),
    outputTokensMax: z.int().positive().optional(),
  });
});

export type Script = z.infer<ReturnType<typeof scriptSchema>>;
export type ScriptTurn = Script["turns"][number];
export type ScriptExpectation = NonNullable<ScriptTurn["expect"]>;

/**
 * Reads a script from a file. Throws `AppError` of reason `usage` that names the file, and the place in it where it is
 * no script.
 */
export function readScript(path: string): Script {
  const parsed = scriptSchema().safeParse(readScriptJson(path));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `${z.core.toDotPath(issue.path) || "script"}: ${issue.message}`);
  throw unusableScript(path, problems.join("; "));
}
