import type { CommandRequest, PermissionRule, Verdict } from "../core/permission.ts";
import type { ShellAnalysis, ShellCommand, ShellWord } from "../core/shell-command.ts";
import { mayRunWords, parseCommandPattern } from "./command-pattern.ts";
import { mayMeanPath } from "./match-path.ts";
import { createNamedPaths, type NamedPaths } from "./named-paths.ts";
import { describeProgram } from "./programs/describe-program.ts";
import { isProcessInside } from "./protected-paths.ts";
import { COMMAND_TOOL } from "./rule-family.ts";
import { ruleText, ruleVerdict } from "./rule-verdict.ts";
import { UNCERTAIN_TARGET } from "./shell/read-redirection.ts";
import { everyCommand } from "./every-command.ts";

/**
 * The refusal of a command by a deny rule, in whatever mode: because a command in it may be a denied one, because it
 * names a denied path, or because something in it cannot be seen while some commands are denied.
 */
export function denyCommand(request: CommandRequest): Verdict | undefined {
  const { analysis } = request.access;
  const rules = request.context.rules.filter(({ behavior }) => behavior === "deny");
  const commands = everyCommand(analysis);
  const paths = createNamedPaths(request.cwd);
  const rule = rules.find((candidate) => commands.some((command) => forbids(candidate, command, { request, paths })));
  if (rule !== undefined) return ruleVerdict(rule, `The rule "${ruleText(rule)}" forbids this call`);
  const inside = commands.flatMap((command) => paths.of(operandsOf(command).filter((word) => !isOwnFile(word)), command)).find(({ real }) => isProcessInside(real));
  if (inside !== undefined) return { behavior: "deny", layer: "built-in", reason: `"${inside.real}" is the inside of a process, which may hold keys` };
  if (paths.hasTooMany.written) return { behavior: "deny", layer: "built-in", reason: "It names more paths than are looked at; name fewer at a time" };
  const guarding = rules.find(isPathRule);
  if (paths.hasTooMany.matching && guarding !== undefined) return ruleVerdict(guarding, `It may name more paths than are looked at, and the rule "${ruleText(guarding)}" forbids some; name fewer at a time`);
  const hidden = hiddenPart(analysis);
  const unseen = rules.find((candidate) => isPathRule(candidate) && (hidden === UNCERTAIN_TARGET || commands.some((command) => hasUnseenPath(candidate, command))));
  if (unseen !== undefined) return ruleVerdict(unseen, `It cannot be seen which file the command ${unseen.tool === "Read" ? "reads" : "writes"}, and the rule "${ruleText(unseen)}" forbids some; write the name out`);
  const forbidding = rules.find(({ tool }) => tool === COMMAND_TOOL);
  if (hidden === undefined || forbidding === undefined) return undefined;
  const reason = `It cannot be seen what the command runs (${hidden}), and the rule "${ruleText(forbidding)}" forbids some commands; use plain commands`;
  return ruleVerdict(forbidding, reason);
}

/** The ask rule that may mean a command. */
export function askingRule(request: CommandRequest): PermissionRule | undefined {
  const { analysis } = request.access;
  const isHidden = hiddenPart(analysis) !== undefined;
  const commands = everyCommand(analysis);
  const paths = createNamedPaths(request.cwd);
  return request.context.rules.find((rule) => {
    if (rule.behavior !== "ask") return false;
    return (rule.tool === COMMAND_TOOL && isHidden) || commands.some((command) => forbids(rule, command, { request, paths }));
  });
}

function forbids(rule: PermissionRule, command: ShellCommand, { request, paths }: { readonly request: CommandRequest; readonly paths: NamedPaths }): boolean {
  const { tool, spec } = rule;
  if (tool === COMMAND_TOOL) return spec === undefined || mayRunWords(parseCommandPattern(spec), command.words);
  if (spec === undefined || !isPathRule(rule)) return false;
  const words = tool === "Read" ? operandsOf(command) : writtenWords(command);
  return paths.of(words, command).some((target) => mayMeanPath(spec, target, request));
}

/** Whether a command names what a rule is about by a word that the shell computes. Of programs that are not known it is not asked: any of their words may be anything. */
function hasUnseenPath({ tool }: PermissionRule, command: ShellCommand): boolean {
  const words = tool === "Read" ? readWords(command) : writtenWords(command);
  return words.some(({ value, glob }) => value === undefined && glob === undefined);
}

function readWords({ words, redirections }: ShellCommand): readonly ShellWord[] {
  const targets = redirections.flatMap((redirection) => (redirection.kind === "read" ? [redirection.target] : []));
  return [...targets, ...(describeProgram(words[0]?.value ?? "", words.slice(1))?.reads ?? [])];
}

function isPathRule({ tool, spec }: PermissionRule): boolean {
  return spec !== undefined && PATH_RULES.has(tool);
}

const PATH_RULES: ReadonlySet<string> = new Set(["Read", "Write", "Edit"]);

/** The files that a command itself has open, as scripts look at them. */
function isOwnFile({ value }: ShellWord): boolean {
  return value !== undefined && /^\/proc\/(?:thread-)?self\/fd(?:\/|$)/.test(value) && !value.includes("..");
}

/** Words that may name what is read: any argument may be a path; of an option, what stands behind the equals sign. */
function operandsOf({ words, redirections }: ShellCommand): readonly ShellWord[] {
  const read = redirections.flatMap((redirection) => (redirection.kind === "read" ? [redirection.target] : []));
  return [...words.slice(1).flatMap(withoutOption), ...read];
}

function withoutOption(word: ShellWord): readonly ShellWord[] {
  if (word.value === undefined) return word.glob === undefined ? [] : [word];
  if (!word.value.startsWith("-")) return word.value === "" ? [] : [word];
  const value = word.value.slice(word.value.indexOf("=") + 1 || word.value.length);
  return value === "" ? [] : [{ value, prefix: value, isMultiple: false }];
}

function writtenWords({ words, redirections }: ShellCommand): readonly ShellWord[] {
  const targets = redirections.flatMap((redirection) => (redirection.kind === "write" ? [redirection.target] : []));
  return [...targets, ...(describeProgram(words[0]?.value ?? "", words.slice(1))?.writes ?? [])];
}

/** Why something in a text cannot be seen. */
function hiddenPart(analysis: ShellAnalysis): string | undefined {
  return analysis.opaque ?? everyCommand(analysis).find(({ inner }) => inner?.analysis.opaque !== undefined)?.inner?.analysis.opaque;
}
