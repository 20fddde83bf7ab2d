import type { AssistantBlock, ToolResultBlock, UserBlock } from "../../core/message.ts";
import { assertNever } from "../../lib/assert-never.ts";
import { clipLine } from "../../lib/clip-line.ts";
import { visibleText } from "../../lib/visible-text.ts";
import { activity } from "../../runtime/activity.ts";
import type { TranscriptEntry } from "../../store/transcript-entry.ts";

const RESULT_LINES_MAX = 3;
const RESULT_LINE_CHARS_MAX = 200;

/**
 * An entry of a transcript for people: who speaks, the text as it is, a line `> ` for each tool call, and the first lines
 * of each result behind `< `, of failed ones behind `! `. Empty for entries that say nothing to people.
 */
export function renderTranscriptEntry({ message }: TranscriptEntry): string {
  if (message === undefined) return "";
  const lines = message.content.flatMap(renderBlock);
  if (lines.length === 0) return "";
  // Nobody said a result: it belongs to the call above it.
  const isSpoken = message.role === "assistant" || message.content.some((block) => block.type === "text");
  return `${isSpoken ? `[${message.role}]\n` : ""}${lines.join("\n")}\n\n`;
}

function renderBlock(block: AssistantBlock | UserBlock): string[] {
  switch (block.type) {
    case "text":
      return block.text.trim() === "" ? [] : [visibleText(block.text.trimEnd())];
    case "tool_use":
      return [`> ${visibleText(activity(block))}`];
    case "tool_result":
      return renderResult(block);
    case "thinking":
    case "redacted_thinking":
    case "unknown":
      return [];
    default:
      return assertNever(block, "content block");
  }
}

function renderResult({ content, is_error }: ToolResultBlock): string[] {
  const lines = content.trimEnd().split("\n");
  const mark = is_error === true ? "!" : "<";
  const shown = lines.slice(0, RESULT_LINES_MAX).map((line) => `${mark} ${clipLine(visibleText(line), RESULT_LINE_CHARS_MAX)}`);
  const hidden = lines.length - shown.length;
  return hidden === 0 ? shown : [...shown, `${mark} ... ${hidden} more lines`];
}
