import type { ToolUseBlock } from "../core/message.ts";
import { isRecord } from "../lib/is-record.ts";

const ACTIVITY_LENGTH_MAX = 120;

/** One short line about a call: the tool and the value that says most. */
export function activity(call: ToolUseBlock): string {
  const input = isRecord(call.input) ? call.input : {};
  const subject = input["command"] ?? input["file_path"] ?? input["pattern"] ?? input["task_id"];
  const text = typeof subject === "string" ? `${call.name} ${subject.split("\n", 1)[0] ?? ""}` : call.name;
  return text.length > ACTIVITY_LENGTH_MAX ? `${text.slice(0, ACTIVITY_LENGTH_MAX - 1)}…` : text;
}
