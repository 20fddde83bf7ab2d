import { join } from "node:path";
import type { CommandAccess, PermissionMode, PermissionRule, Verdict } from "../../../src/core/permission.ts";
import { isInside } from "../../../src/lib/is-inside.ts";
import { commandAccess } from "../../../src/permissions/command-access.ts";
import { decidePermission } from "../../../src/permissions/decide.ts";
import { parsePermissionRule } from "../../../src/permissions/parse-rule.ts";
import { resolveRealPath } from "../../../src/platform/resolve-real-path.ts";
import type { CanaryCall, CanaryWorld } from "./canary-world.ts";
import { READERS, WRITERS } from "./names.ts";
import { isOpaque, isReported } from "./reported-calls.ts";

export interface CheckedText {
  readonly isOpaque: boolean;
  /** Whether the shell ran it: what is opaque and denied needs no proof. */
  readonly hasRun: boolean;
  readonly isLate: boolean;
  readonly isAllowed: boolean;
  readonly isDenied: boolean;
  /** What was not as the analysis and the decisions say. */
  readonly violations: readonly string[];
}

interface Scenario {
  readonly name: string;
  readonly mode: PermissionMode;
  readonly rules: readonly PermissionRule[];
  /** Why a program may not have run, when the decision is to allow. */
  readonly objection: (call: CanaryCall, world: CanaryWorld) => string | undefined;
  readonly mayChange: (path: string) => boolean;
}

const NAMED = new Set(["ls", "cat", "grep"]);

const SCENARIOS: readonly Scenario[] = [
  { name: "default", mode: "default", rules: [], objection: objectionToReading, mayChange: () => false },
  {
    name: "allow rules",
    mode: "default",
    rules: ["Bash(echo:*)", "Bash(ls:*)", "Bash(cat:*)", "Bash(grep:*)"].map((text) => ruleOf(text, "allow")),
    objection: (call, world) => (NAMED.has(call.words[0] ?? "") ? undefined : objectionToReading(call, world)),
    mayChange: () => false,
  },
  {
    name: "acceptEdits",
    mode: "acceptEdits",
    rules: [],
    objection: objectionToWriting,
    mayChange: (path) => isInside(path, "tree/work") && !isInside(path, "tree/work/.git"),
  },
];

const DENIALS: readonly { readonly rule: PermissionRule; readonly isMeant: (words: readonly string[]) => boolean }[] = [
  { rule: ruleOf("Bash(canary:*)", "deny"), isMeant: ([name]) => name === "canary" },
  { rule: ruleOf("Bash(npm push:*)", "deny"), isMeant: ([name, subcommand]) => name === "npm" && subcommand === "push" },
];

function ruleOf(text: string, behavior: "allow" | "deny"): PermissionRule {
  return parsePermissionRule(text, { behavior, layer: "flag", knownTools: ["Bash"] });
}

/** Lets a shell show whether what is said of a text is true. */
export async function checkText(text: string, world: CanaryWorld): Promise<CheckedText> {
  const access = await commandAccess(text, { home: world.work, dialect: world.dialect });
  const { analysis } = access;
  const decide = (mode: PermissionMode, rules: readonly PermissionRule[]) => decideIn(world, { access, mode, rules });
  const denials = DENIALS.map((denial) => ({ ...denial, verdict: decide("bypassPermissions", [denial.rule]) }));
  const allowing = SCENARIOS.filter(({ mode, rules }) => decide(mode, rules).behavior === "allow");
  const checked = { isOpaque: isOpaque(analysis), isAllowed: allowing.length > 0, isDenied: denials[0]?.verdict.behavior === "deny" };
  if (checked.isOpaque && allowing.length === 0 && denials.every(({ verdict }) => verdict.behavior === "deny")) return { ...checked, hasRun: false, isLate: false, violations: [] };
  const calls = await world.run(text);
  const changes = world.takeChanges();
  if (calls === undefined) return { ...checked, hasRun: true, isLate: true, violations: [] };
  const violations = [
    ...(checked.isOpaque ? [] : calls.filter((call) => !isReported(call, analysis, world.work)).map((call) => `not reported: ${shown(call)}`)),
    ...denials.flatMap(({ verdict, isMeant, rule }) => (verdict.behavior === "deny" ? [] : calls.filter(({ words }) => isMeant(words)).map((call) => `denied by ${rule.spec}: ${shown(call)}`))),
    ...allowing.flatMap(({ name, objection, mayChange }) => [
      ...calls.flatMap((call) => objection(call, world) ?? []).map((problem) => `${name}: ${problem}`),
      ...calls.filter(({ isEnvironmentIntact }) => !isEnvironmentIntact).map((call) => `${name}: the environment of ${shown(call)}`),
      ...changes.filter((path) => !mayChange(path)).map((path) => `${name}: "${path}" was changed`),
    ]),
  ];
  return { ...checked, hasRun: true, isLate: false, violations };
}

function decideIn({ work }: CanaryWorld, { access, mode, rules }: { readonly access: CommandAccess; readonly mode: PermissionMode; readonly rules: readonly PermissionRule[] }): Verdict {
  return decidePermission({
    tool: "Bash",
    access,
    isReadOnly: false,
    cwd: work,
    home: work,
    context: { mode, rules, directories: [work] },
  });
}

function objectionToReading(call: CanaryCall, world: CanaryWorld): string | undefined {
  return READERS.has(call.words[0] ?? "") || isWithoutOperands(call) ? objectionToPaths(call, world, ({ real }) => isInside(real, world.work)) : `ran ${shown(call)}`;
}

function objectionToWriting(call: CanaryCall, world: CanaryWorld): string | undefined {
  if (READERS.has(call.words[0] ?? "")) return objectionToReading(call, world);
  if (!WRITERS.has(call.words[0] ?? "")) return `ran ${shown(call)}`;
  // What is copied is only read.
  const written = call.words[0] === "cp" ? { ...call, words: ["cp", ...call.words.slice(1).slice(-1)] } : call;
  const objection = objectionToPaths(call, world, ({ real }) => isInside(real, world.work));
  return objection ?? objectionToPaths(written, world, ({ real }) => isInside(real, world.work) && !isInside(real, join(world.work, ".git")));
}

/** Such a call of a program that writes says that something is missing. */
function isWithoutOperands({ words: [name = "", ...args] }: CanaryCall): boolean {
  return WRITERS.has(name) && args.every((arg) => arg.startsWith("-"));
}

/** Takes every argument for a path, but for what programs certainly do not take for one. */
function objectionToPaths(call: CanaryCall, { work }: CanaryWorld, isFree: (target: { readonly real: string }) => boolean): string | undefined {
  if (!isInside(call.directory, work)) return `ran outside: ${shown(call)}`;
  const [name = "", ...args] = call.words;
  const operands = NOT_PATHS.has(name) ? [] : args.filter((arg, index) => !arg.startsWith("-") && DATA_OPTIONS.get(name)?.includes(args[index - 1] ?? "") !== true);
  const named = name === "grep" ? operands.slice(1) : operands;
  const bad = named.find((arg) => !isFree({ real: resolveRealPath(arg.startsWith("/") ? arg : `${call.directory}/${arg}`) }) && !/^\/dev\/(?:null|stdout)$/.test(arg));
  return bad === undefined ? undefined : `"${bad}" is not free: ${shown(call)}`;
}

/** Options whose value is no path. */
const DATA_OPTIONS: ReadonlyMap<string, readonly string[]> = new Map([
  ["head", ["-n", "-c"]],
  ["tail", ["-n", "-c", "-s"]],
  ["uniq", ["-w", "-f", "-s"]],
  ["ls", ["-w", "-T", "-I"]],
  ["sort", ["-t", "-k", "-S"]],
  ["grep", ["-e", "-m", "-A", "-B", "-C"]],
]);

const NOT_PATHS: ReadonlySet<string> = new Set(["git", "sed", "awk", "date", "cut"]);

function shown({ words, directory }: CanaryCall): string {
  return `${JSON.stringify(words)} in ${directory}`;
}
