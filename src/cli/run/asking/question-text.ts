import type { CommandFinding, PermissionQuestion, PermissionReply, ToolAccess } from "../../../core/permission.ts";
import { assertNever } from "../../../lib/assert-never.ts";
import { clipMiddle } from "../../../lib/clip-middle.ts";
import { unhiddenText } from "../../../lib/unhidden-text.ts";

/** A question as a person reads it. */
export interface QuestionText {
  /** Whole lines. */
  readonly text: string;
  /** What may be typed, in lower case, and what it means. */
  readonly replies: ReadonlyMap<string, PermissionReply>;
}

const COMMAND_CHARS_MAX = 8_000;
const LINE_CHARS_MAX = 500;

/**
 * Lays a question out. Every line that holds something of the model begins in a way in which no line of ours does, so that
 * it cannot pass for one.
 */
export function questionText({ agent, tool, access, verdict }: PermissionQuestion): QuestionText {
  const { grants = [], commands = [], reason } = verdict;
  const offered = grants.length > 0 && grants.every((rule) => rule === unhiddenLine(rule));
  const rules = grants.join(", ");
  const choices = ["[y] once", ...(offered ? [`[r] this run: ${rules}`, `[a] always: ${rules}`] : []), "[n] no"];
  const lines = [`agent: ${unhiddenLine(tool)}${agent === undefined ? "" : ` of agent ${unhiddenLine(agent)}`} needs an approval: ${shortLine(reason)}`, ...accessLines(access), ...findingLines(access, commands), choices.join("  ")];
  return {
    text: lines.map((line) => `${line}\n`).join(""),
    replies: new Map<string, PermissionReply>([["y", "once"], ...(offered ? GRANTING : []), ["n", "refused"]]),
  };
}

const GRANTING: readonly (readonly [string, PermissionReply])[] = [
  ["r", "run"],
  ["a", "always"],
];

function accessLines(access: ToolAccess): string[] {
  switch (access.kind) {
    case "none":
      return [];
    case "foreign":
      return [`  | ${shortLine(access.input)}`];
    case "read":
    case "write":
      return [`  | ${access.kind}s ${unhiddenLine(access.path)}`];
    case "command":
      return clipMiddle(unhiddenText(access.command), COMMAND_CHARS_MAX)
        .split("\n")
        .map((line) => `  | ${line}`);
    default:
      return assertNever(access, "access");
  }
}

/** What is known of each simple command; nothing more than the reason says where there is only one. */
function findingLines(access: ToolAccess, findings: readonly CommandFinding[]): string[] {
  const [only] = findings;
  if (access.kind === "command" && findings.length === 1 && only?.text.trim() === access.command.trim()) return [];
  return findings.flatMap(({ text, isAllowed, reason }) => (isAllowed ? [`  + ${shortLine(text)}`] : [`  - ${shortLine(text)}`, `      ${shortLine(reason)}`]));
}

function shortLine(text: string): string {
  return clipMiddle(unhiddenLine(text), LINE_CHARS_MAX);
}

function unhiddenLine(text: string): string {
  return unhiddenText(text.trim()).replaceAll("\n", "␊");
}
