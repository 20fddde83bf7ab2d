/** Less is no reply. */
const ROOM_TOKENS_MIN = 1_024;

/**
 * How many tokens a refusal leaves for the reply, in the words of the service and of servers that only resemble it;
 * undefined where it speaks of something else, and where the conversation leaves next to nothing.
 */
export function outputRoom(message: string): number | undefined {
  const text = message.replace(/(?<=\d),(?=\d{3}\b)/g, "");
  for (const { pattern, room } of WORDINGS) {
    const found = pattern.exec(text);
    if (found === null) continue;
    const tokens = room(found.slice(1).map(Number));
    return tokens >= ROOM_TOKENS_MIN ? tokens : undefined;
  }
  return undefined;
}

const WORDINGS: readonly { readonly pattern: RegExp; readonly room: (numbers: readonly number[]) => number }[] = [
  // "input length and `max_tokens` exceed context limit: 188240 + 32000 > 200000, decrease input length or …"
  { pattern: /max_tokens\W+exceed\w* context limit: (\d+) \+ \d+ > (\d+)/i, room: ([input = 0, context = 0]) => context - input },
  // "'max_tokens' … is too large: 32000. … (32000 > 32768 - 1200)"
  { pattern: /\(\d+ > (\d+) - (\d+)\)/, room: ([context = 0, input = 0]) => context - input },
  // "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (5000 in the messages, 4000 in the completion)"
  {
    pattern: /maximum context length is (\d+) tokens.*?\((\d+) (?:in the messages|input tokens|of text input)/is,
    room: ([context = 0, input = 0]) => context - input,
  },
  // "max_tokens: 64000 > 32000, which is the maximum allowed number of output tokens for …"
  { pattern: /max_(?:completion_|output_)?tokens\W+\d+ > (\d+)/i, room: ([most = 0]) => most },
  // "max_tokens must be less than or equal to 8192", "max_tokens: at most 8192", "Invalid max_tokens value, the valid range is [1, 8192]"
  {
    pattern: /max_(?:completion_|output_)?tokens\b[^.;\n]{0,80}?(?:less than or equal to|at most|no more than|<=|maximum (?:value )?(?:is|of)|range[^[\d]{0,30}\[\d+,)\W{0,3}(\d+)/i,
    room: ([most = 0]) => most,
  },
];
