import type { ShellAssignment } from "../../core/shell-command.ts";

/**
 * Whether variables of the environment are known to change only how programs print what they do. Most others, as `PATH`,
 * `LD_PRELOAD`, `NODE_OPTIONS` or `GIT_SSH`, choose what runs.
 */
export function setsHarmlessVariables(assignments: readonly ShellAssignment[]): boolean {
  return assignments.every((assignment) => HARMLESS.has(assignment.name) && /^[\w.:@,+=*-]*$/.test(assignment.value.value ?? " ") && !changesShell(assignment));
}

/**
 * The first variable that makes a shell itself run something, read its text in another way, or find files elsewhere.
 * Setting a number of the shell evaluates the value.
 */
export function shellVariableIn(assignments: readonly ShellAssignment[]): string | undefined {
  return assignments.find(changesShell)?.name;
}

function changesShell({ name, value }: ShellAssignment): boolean {
  if (/^(?:LANG|LC_\w+)$/.test(name)) return !/^(?:|C|POSIX|(?:[A-Za-z]+(?:_[A-Za-z]+)?\.)(?:UTF-8|utf-?8))$/.test(value.value ?? " ");
  return SHELL_VARIABLES.test(name);
}

const SHELL_VARIABLES = /^(?:ENV|PS\d|SHELLOPTS|BASHOPTS|BASHPID|BASH_\w+|POSIXLY_CORRECT|HOME|CDPATH|PWD|OLDPWD|GLOBIGNORE|RANDOM|SRANDOM|SECONDS|LINENO|HISTCMD|OPTIND|EPOCH\w+|E?UID|PPID|GROUPS|DIRSTACK)$/;

const HARMLESS: ReadonlySet<string> = new Set([
  "CI",
  "COLUMNS",
  "DEBUG",
  "FORCE_COLOR",
  "LANG",
  "LC_ALL",
  "LC_COLLATE",
  "LC_CTYPE",
  "LINES",
  "NODE_ENV",
  "NO_COLOR",
  "PYTHONDONTWRITEBYTECODE",
  "PYTHONUNBUFFERED",
  "RUST_BACKTRACE",
  "RUST_LOG",
  "TZ",
]);
