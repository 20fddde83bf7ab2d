import { isAbsolute, join } from "node:path";
import type { CommandFinding, CommandRequest, PermissionRule, Verdict } from "../core/permission.ts";
import type { ShellAnalysis, ShellCommand, ShellRedirection, ShellWord } from "../core/shell-command.ts";
import { isInside } from "../lib/is-inside.ts";
import { shellQuote } from "../lib/shell-quote.ts";
import { resolveRealPath } from "../platform/resolve-real-path.ts";
import { AppError } from "../core/errors.ts";
import { bringsLinks } from "./brings-links.ts";
import { coversWords, parseCommandPattern, spelledWords } from "./command-pattern.ts";
import { decidePath } from "./decide-path.ts";
import { everyCommand } from "./every-command.ts";
import { expandGlob } from "./expand-glob.ts";
import { placePath } from "./place-path.ts";
import { withPlainGlobs } from "./plain-globs.ts";
import { describeProgram } from "./programs/describe-program.ts";
import type { ArgumentReport } from "./programs/argument-report.ts";
import { COMMAND_TOOL } from "./rule-family.ts";
import { ruleText } from "./rule-verdict.ts";
import { isHarmlessBuiltin } from "./shell/builtins.ts";
import { setsHarmlessVariables } from "./shell/environment-variables.ts";
import { isPlainVariable } from "./shell/plain-variable.ts";
import { isNestedRepository } from "./nested-repository.ts";
import { allowFlag, suggestCommandRule } from "./suggest-flag.ts";

/** What is found about each command of a text by itself. Deny and ask rules for commands are looked at elsewhere. */
export function judgeCommands(request: CommandRequest): readonly CommandFinding[] {
  const { analysis } = request.access;
  // A command that changes something may make files whose names are options.
  const plain = withPlainGlobs(analysis, request.cwd);
  const findings = plain === undefined ? [] : judgeText(plain, request);
  return plain !== undefined && findings.every(({ isAllowed, isReadOnly }) => isReadOnly || !isAllowed) ? findings : judgeText(analysis, request);
}

function judgeText(analysis: ShellAnalysis, request: CommandRequest): readonly CommandFinding[] {
  const effective = everyCommand(analysis).filter(({ words, redirections }) => words.length > 1 || redirections.length > 0);
  return judgeAll(analysis, { ...request, isAlone: effective.length <= 1, paths: { left: PATHS_MAX } });
}

interface Judging extends CommandRequest {
  /** Whether there is only one command that can touch anything. */
  readonly isAlone: boolean;
  /** How many paths may still be looked at, for all commands together. */
  readonly paths: { left: number };
}

/** Deciding about a path takes tens of microseconds. */
const PATHS_MAX = 2_000;
/** Looking for links takes as long as deciding about so many paths. */
const LINK_SEARCH_PATHS = 100;

function judgeAll(analysis: ShellAnalysis, request: Judging): readonly CommandFinding[] {
  return analysis.commands.map((command) => ({ text: command.text, ...judge(command, { request, functions: analysis.functions }) }));
}

interface Place {
  readonly request: Judging;
  readonly functions: ReadonlySet<string>;
}

type Finding = Omit<CommandFinding, "text">;

function judge(command: ShellCommand, place: Place): Finding {
  const problem = problemAround(command, place);
  if (problem !== undefined) return problem;
  const isQuiet = command.redirections.every((redirection) => redirection.kind !== "write" || isSink(redirection.target));
  const finding = judgeWords(command, place);
  return finding.isReadOnly && !isQuiet ? { ...finding, isReadOnly: false } : finding;
}

/** What stands against a command whatever it runs: where its output goes and which variables it sets. */
function problemAround(command: ShellCommand, { request }: Place): Finding | undefined {
  for (const redirection of command.redirections) {
    const problem = problemOfRedirection(redirection, command, request);
    if (problem !== undefined) return problem;
  }
  const { assignments, words } = command;
  const isHarmless = setsHarmlessVariables(assignments) || (words.length === 0 && assignments.every(({ name }) => isPlainVariable(name)));
  if (isHarmless || words[0]?.value === "local") return undefined;
  return refusal(`It sets ${assignments.map(({ name }) => name).join(", ")}, which may change what runs`);
}

function problemOfRedirection(redirection: ShellRedirection, command: ShellCommand, request: Judging): Finding | undefined {
  if (redirection.kind === "input") return undefined;
  if (redirection.kind === "read") return pathProblem({ word: redirection.target, kind: "read" }, command, request);
  return isSink(redirection.target) ? undefined : pathProblem({ word: redirection.target, kind: "write" }, command, request);
}

/** Output that goes nowhere, or where it goes anyway. */
function isSink({ value }: ShellWord): boolean {
  return value !== undefined && /^\/dev\/(?:null|stdout|stderr|fd\/[12])$/.test(value);
}

function judgeWords(command: ShellCommand, place: Place): Finding {
  const { words, inner } = command;
  const { request, functions } = place;
  const name = words[0]?.value;
  if (words.length === 0) return allowed("It sets variables or opens files, and runs nothing", { isReadOnly: true });
  if (name === undefined) return refusal("It cannot be told which program it runs");
  if (name === "cd") return judgeMove(command, request);
  if (functions.has(name)) return allowed(`"${name}" is defined in the same text`, { isReadOnly: false });
  if (isHarmlessBuiltin(command)) return allowed("It changes nothing but its shell", { isReadOnly: true });
  const covered = coveredByRule(command, request);
  if (covered?.isAllowed === true) return covered;
  if (inner?.isTransparent === true) return judgeInner(inner.analysis, request);
  const proven = judgeArguments(command, request);
  if (proven.isAllowed) return proven;
  return covered ?? proven;
}

function judgeMove({ words, directories }: ShellCommand, request: Judging): Finding {
  const target = (words[1]?.value === "--" ? words[2] : words[1])?.value;
  const places = target === undefined ? [] : placesOf({ directories }, request).flatMap((place) => (isAbsolute(target) ? [target] : [join(place, target), `${place}/${target}`])).map(resolveRealPath);
  const outside = places.find((place) => !request.context.directories.some((directory) => isInside(place, directory)));
  if (target === undefined) return refusal("It cannot be told into which directory it changes");
  if (outside !== undefined) return refusal(`"${outside}" is outside the working directories`, { flag: `--add-dir ${shellQuote(outside)}` });
  return allowed("It stays inside the working directories", { isReadOnly: true });
}

function judgeInner(analysis: ShellAnalysis, request: Judging): Finding {
  if (analysis.opaque !== undefined) return refusal(`It cannot be seen what it runs: ${analysis.opaque}`);
  const findings = judgeAll(analysis, request);
  const refused = findings.find(({ isAllowed }) => !isAllowed);
  if (refused !== undefined) return { ...refused, isReadOnly: false };
  const { reason, rule, layer } = findings.find((finding) => finding.rule !== undefined) ?? findings[0] ?? { reason: "It starts nothing" };
  const isReadOnly = findings.every((finding) => finding.isReadOnly);
  return { ...allowed(reason, { isReadOnly }), ...(rule === undefined ? {} : { rule }), ...(layer === undefined ? {} : { layer }) };
}

/** The finding of the first allow rule that speaks of a command; undefined where none does. */
function coveredByRule(command: ShellCommand, request: Judging): Finding | undefined {
  const rules = request.context.mode === "plan" ? [] : request.context.rules.filter(({ behavior, tool, spec }) => behavior === "allow" && tool === COMMAND_TOOL && spec !== undefined);
  const plain = withoutHarmlessOptions(command);
  let objection: Finding | undefined;
  for (const rule of rules) {
    const pattern = parseCommandPattern(rule.spec ?? "");
    if (!coversWords(pattern, plain.words)) continue;
    const problem = beyondRule(plain, { spelled: pattern.isOpen ? spelledWords(pattern) : plain.words.length, rule }, request);
    if (problem === undefined) return { ...allowed(`The rule "${ruleText(rule)}" covers it`, { isReadOnly: false }), rule: ruleText(rule), layer: rule.layer };
    objection ??= problem;
  }
  return objection;
}

/** What a rule that begins with the same words does not say of a command. */
function beyondRule(
  command: ShellCommand,
  { spelled, rule }: { readonly spelled: number; readonly rule: PermissionRule },
  request: Judging,
): Finding | undefined {
  const { words, inner } = command;
  const says = `The rule "${ruleText(rule)}" does not cover it`;
  const report = describeProgram(words[0]?.value ?? "", words.slice(1));
  if (report?.danger !== undefined && report.danger.index + 1 >= spelled && !(inner !== undefined && inner.start >= spelled)) return refusal(`${says}: ${report.danger.why}`);
  if (inner !== undefined && inner.start >= spelled) {
    const started = judgeInner(inner.analysis, request);
    if (!started.isAllowed) return { ...started, reason: `${says}: what it starts is not allowed. ${started.reason}` };
  }
  for (const word of report?.writes ?? []) {
    if (words.indexOf(word) !== -1 && words.indexOf(word) < spelled) continue;
    const problem = pathProblem({ word, kind: "named write" }, command, request);
    if (problem !== undefined) return problem;
  }
  if (words[0]?.value === "git" && placesOf(command, request).some((place) => isNestedRepository(resolveRealPath(place), request.context.directories))) {
    return refusal(`${says}: git would use the configuration of a repository inside the working directory`);
  }
  return undefined;
}

/** Options of git that only keep it from waiting or paging. */
const HARMLESS_GIT_OPTIONS: ReadonlySet<string> = new Set(["--no-pager", "-P", "--no-optional-locks"]);

function withoutHarmlessOptions(command: ShellCommand): ShellCommand {
  const [program, ...args] = command.words;
  if (program?.value !== "git" || command.inner !== undefined) return command;
  const first = args.findIndex(({ value }) => value === undefined || !HARMLESS_GIT_OPTIONS.has(value));
  return first <= 0 ? command : { ...command, words: [program, ...args.slice(first)] };
}

/** What a program is known to do with its arguments, judged by the rules for paths. */
function judgeArguments(command: ShellCommand, request: Judging): Finding {
  const { words } = command;
  const literal = words.flatMap(({ value }) => (value === undefined ? [] : [value]));
  const rule = literal.length === words.length ? suggestCommandRule(literal) : undefined;
  const unknown = refusal(`No rule allows the command "${command.text}"`, rule === undefined ? {} : { flag: allowFlag(rule), grants: [rule] });
  const report = describeProgram(words[0]?.value ?? "", words.slice(1));
  if (report === undefined || !report.isPure || request.isSearchPathFixed === false || command.assignments.length > 0) return unknown;
  if (!request.isAlone && mayBringLinks(command, report, request)) return refusal("It may put links where others of these commands read or write; run it alone");
  return pathsOf(report, command, request) ?? allowed(report.writes.length > 0 ? "It writes only what may be written" : "The command only reads inside the working directories", { isReadOnly: report.writes.length === 0 });
}

function mayBringLinks(command: ShellCommand, report: ArgumentReport, request: Judging): boolean {
  if (report.writes.length === 0) return false;
  request.paths.left -= LINK_SEARCH_PATHS;
  return request.paths.left < 0 || bringsLinks(command, report.reads, placesOf(command, request));
}

function pathsOf(report: ArgumentReport, command: ShellCommand, request: Judging): Finding | undefined {
  for (const word of report.reads) {
    const problem = pathProblem({ word, kind: "read" }, command, request);
    if (problem !== undefined) return problem;
  }
  for (const word of report.writes) {
    const problem = pathProblem({ word, kind: "write" }, command, request);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/**
 * Why a command may not read or write what a word names.
 *
 * @param use.kind `named write`: a rule names the program whose work it is to write, so writing needs no approval beside it
 */
function pathProblem(use: { readonly word: ShellWord; readonly kind: "read" | "write" | "named write" }, command: ShellCommand, request: Judging): Finding | undefined {
  const { word, kind } = use;
  for (const place of placesOf(command, request)) {
    const paths = word.value === undefined ? expandGlob(word, place)?.names : [word.value];
    if (paths === undefined) return refusal(kind === "read" ? "It cannot be told what it reads" : "It cannot be told where it writes");
    for (const path of paths) {
      if (--request.paths.left < 0) return refusal("It names more paths than are looked at");
      const verdict = decideUse(isAbsolute(path) ? path : `${place}/${path}`, kind, request);
      if (verdict.behavior !== "allow") return refusal(verdict.reason, verdict);
    }
  }
  return undefined;
}

function decideUse(path: string, kind: "read" | "write" | "named write", request: Judging): Verdict {
  try {
    return decideNamed(path, kind, request);
  } catch (error) {
    // No path: it holds a NUL, or a link of it leads in a circle.
    if (!(error instanceof AppError)) throw error;
    return { behavior: "deny", reason: error.message };
  }
}

function decideNamed(path: string, kind: "read" | "write" | "named write", request: Judging): Verdict {
  if (kind === "read") return decidePath({ ...request, tool: "Read", access: { kind: "read", path }, isReadOnly: true });
  const { context } = request;
  const mode = kind === "named write" && context.mode === "default" ? "acceptEdits" : context.mode;
  const shared = { ...request, context: { ...context, mode }, access: { kind: "write", path }, isReadOnly: false } as const;
  const verdict = decidePath({ ...shared, tool: "Write" });
  return verdict.behavior === "allow" ? verdict : firstAllowed(decidePath({ ...shared, tool: "Edit" }), verdict);
}

function firstAllowed(verdict: Verdict, otherwise: Verdict): Verdict {
  return verdict.behavior === "allow" ? verdict : otherwise;
}

function placesOf({ directories }: Pick<ShellCommand, "directories">, { cwd }: Judging): readonly string[] {
  return directories.map((directory) => placePath(directory, cwd));
}

function allowed(reason: string, { isReadOnly }: { readonly isReadOnly: boolean }): Finding {
  return { isAllowed: true, isReadOnly, reason };
}

function refusal(reason: string, { flag, grants }: Pick<Verdict, "flag" | "grants"> = {}): Finding {
  const [grant] = grants ?? [];
  return { isAllowed: false, isReadOnly: false, reason, ...(flag === undefined ? {} : { flag }), ...(grant === undefined ? {} : { grant }) };
}
