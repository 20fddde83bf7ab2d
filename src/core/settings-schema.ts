import { z } from "zod";
import { parseByteSize } from "../lib/byte-size.ts";
import { parseDurationMs, TIMER_MS_MAX } from "../lib/duration.ts";
import { PERMISSION_MODES } from "./permission.ts";
import { lazySchema } from "./schema.ts";
import { THINKING_EFFORTS, THINKING_TOKENS_MIN } from "./thinking.ts";

const COUNT_MAX = 999_999_999;

/** What a configuration file may hold. Values stand as people write them; `mergeSettings` turns them into `Settings`. */
export const settingsFileSchema = lazySchema("settingsFile", () =>
  z.object({
    $schema: z.string({ error: "must be a text" }).optional().describe("Where an editor finds this schema"),
    model: name().optional().describe("The model: an id, an alias, or scripted:demo"),
    modelAliases: z
      .record(z.string(), name(), { error: "must be an object of names and model ids" })
      .optional()
      .describe("Your own names for models, over the built-in ones"),
    thinking: thinking().optional().describe("How much the model thinks: off, low, medium, high, or a number of tokens; inherit, or nothing, for as it does by itself"),
    permissionMode: z
      .enum(PERMISSION_MODES, { error: `must be one of ${PERMISSION_MODES.join(", ")}` })
      .optional()
      .describe("What is allowed where no rule decides"),
    permissions: z
      .object(
        {
          allow: rules().describe("Calls that need no approval, as Bash(npm test:*)"),
          ask: rules().describe("Calls that must be approved each time"),
          deny: rules().describe("Calls that are refused; wins over every other rule"),
        },
        { error: "must be an object with allow, ask and deny" },
      )
      .optional()
      .describe("Permission rules"),
    maxTurns: count().optional().describe("Most replies of the model in a run"),
    maxBudgetUsd: price("must be a number of US dollars above 0")
      .positive({ error: "must be a number of US dollars above 0" })
      .optional()
      .describe("Most US dollars that a run may spend"),
    maxTokens: count().optional().describe("Most tokens that a run may use; what is read from the prompt cache does not count"),
    maxToolCalls: count().optional().describe("Most tool calls of a run"),
    timeout: duration().optional().describe("How long a run may take, as 10m"),
    idleTimeout: duration().optional().describe("How long a run may go on without any progress, as 5m"),
    waitForLimit: duration().optional().describe("How long a run waits for a limit of the service to reset, as 2h"),
    fallbackModels: z
      .array(name(), { error: "must be an array of models" })
      .optional()
      .describe("The models to turn to, one after the other, when the one before does not answer"),
    prices: z
      .record(
        z.string(),
        z.object({ input: price(), output: price(), cacheRead: price().optional(), cacheWrite: price().optional() }, { error: PRICES_EXPECTED }),
        { error: "must be an object of model ids and their prices" },
      )
      .optional()
      .describe("US dollars per million tokens by model id, over the built-in list; cacheRead and cacheWrite cost as input unless given"),
    outputQuota: size().optional().describe("Most output kept for one task, as 64MiB"),
    runOutputQuota: size().optional().describe("Most output kept for all tasks of a run together, as 1GiB"),
    maxOutputTokens: count().optional().describe("Most tokens of one reply"),
    apiAttempts: count().optional().describe("Most requests made for one reply"),
  }),
);

export type SettingsFile = z.infer<ReturnType<typeof settingsFileSchema>>;

const TIME_EXPECTED = 'must be a time such as "90" (seconds), "500ms", "10m" or "2h", at most "24d"';
const PRICES_EXPECTED = 'must be an object such as {"input": 3, "output": 15}';
const SIZE_EXPECTED = 'must be a size such as "500kB" or "64MiB"';

function name() {
  return z.string({ error: "must be a text" }).trim().min(1, { error: "must not be empty" });
}

function thinking() {
  const error = `must be off, low, medium, high, inherit, or a number of tokens from ${THINKING_TOKENS_MIN} up`;
  return z.union([z.enum(["off", ...THINKING_EFFORTS, "inherit"]), z.int().min(THINKING_TOKENS_MIN).max(COUNT_MAX)], { error });
}

function duration() {
  return z.string({ error: TIME_EXPECTED }).refine((text) => isWithin(parseDurationMs(text), TIMER_MS_MAX), { error: TIME_EXPECTED });
}

function price(error = "must be a number of US dollars from 0 up") {
  return z.number({ error }).min(0, { error });
}

function size() {
  return z.string({ error: SIZE_EXPECTED }).refine((text) => isWithin(parseByteSize(text), Number.MAX_SAFE_INTEGER), { error: SIZE_EXPECTED });
}

function count() {
  const error = "must be a whole number from 1 up";
  return z.int({ error }).min(1, { error }).max(COUNT_MAX, { error: `must be at most ${COUNT_MAX}` });
}

function rules() {
  return z.array(z.string({ error: 'must be a text such as "Bash(npm test:*)"' }), { error: "must be an array of rules" }).optional();
}

function isWithin(value: number | undefined, max: number): boolean {
  return value !== undefined && value > 0 && value <= max;
}
