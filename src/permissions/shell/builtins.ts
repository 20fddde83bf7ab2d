import type { ShellCommand, ShellWord } from "../../core/shell-command.ts";
import { isPlainVariable } from "./plain-variable.ts";
import { setsHarmlessVariables } from "./environment-variables.ts";
import { problemOfTest } from "./problem-of-test.ts";

/** Why a builtin of the shell makes it unknown what else the text runs; undefined for every other command. */
export function problemOfBuiltin(command: ShellCommand): string | undefined {
  const [program, ...args] = command.words;
  const name = program?.value ?? "";
  if (name === "exec" && args.length === 0) return '"exec" redirects everything that follows';
  const isHarmless = BUILTINS.get(name);
  if (isHarmless === undefined || isHarmless(args, command)) return undefined;
  return `"${name}" can change what the shell runs`;
}

/** Whether a command is a builtin that changes nothing outside its shell and nothing about what that runs. */
export function isHarmlessBuiltin(command: ShellCommand): boolean {
  const [program, ...args] = command.words;
  return BUILTINS.get(program?.value ?? "")?.(args, command) === true && !DECIDED_ELSEWHERE.has(program?.value ?? "");
}

/** Harmless to the shell; whether they may run is a question of their arguments. */
const DECIDED_ELSEWHERE: ReadonlySet<string> = new Set(["cd", "printf", "test", "["]);

type Judgment = (args: readonly ShellWord[], command: ShellCommand) => boolean;

const always: Judgment = () => true;
const never: Judgment = () => false;

const BUILTINS: ReadonlyMap<string, Judgment> = new Map<string, Judgment>([
  [":", always],
  ["true", always],
  ["false", always],
  ["exit", always],
  ["return", always],
  ["break", always],
  ["continue", always],
  ["shift", always],
  // `-p` of it sets a variable, and evaluates what stands in the brackets of its name.
  ["wait", (args, { text }) => args.every(({ value }) => value !== undefined && /^%?\d+$/.test(value)) || /^wait(?: +(?:\$!|"\$!"))+$/.test(text)],
  ["cd", always],
  ["test", (args) => !problemOfTest(args)],
  ["[", (args) => !problemOfTest(args)],
  ["set", (args) => args.every(({ value }) => value !== undefined && SET_ARGUMENTS.has(value))],
  ["read", (args) => args.every(({ value }) => value !== undefined && (value === "-r" || isPlainVariable(value)))],
  ["unset", (args) => args.every(({ value }) => value !== undefined && isPlainVariable(value))],
  ["local", setsPlainVariables],
  ["readonly", never],
  ["export", (args, { assignments }) => args.length === 0 && setsHarmlessVariables(assignments)],
  ["printf", (args) => args[0]?.value !== undefined && !args[0].value.startsWith("-")],
  ...[
    ".", "alias", "bg", "bind", "caller", "compgen", "complete", "compopt", "coproc", "declare", "dirs", "disown", "enable", "eval", "fc", "fg", "getopts",
    "hash", "help", "history", "jobs", "let", "logout", "mapfile", "popd", "pushd", "readarray", "shopt", "source", "suspend", "times", "trap", "typeset",
    "ulimit", "umask", "unalias", "parallel",
  ].map((name): [string, Judgment] => [name, never]),
]);

/** Options that make a shell stop earlier or say more; others change how it reads what follows. */
const SET_ARGUMENTS: ReadonlySet<string> = new Set(["-e", "-u", "-x", "-eu", "-ue", "-ex", "-eux", "-euo", "-eo", "-o", "pipefail", "errexit", "nounset", "+e", "+x", "+u"]);

function setsPlainVariables(args: readonly ShellWord[], { assignments }: ShellCommand): boolean {
  return args.every(({ value }) => value !== undefined && isPlainVariable(value)) && assignments.every(({ name }) => isPlainVariable(name));
}
