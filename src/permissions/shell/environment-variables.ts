import type { ShellAssignment } from "../../core/shell-command.ts";

/**
 * Whether variables of the environment are known to change only how programs print what they do. Most others, as `PATH`,
 * `LD_PRELOAD`, `NODE_OPTIONS` or `GIT_SSH`, choose what runs.
 */
export function setsHarmlessVariables(assignments: readonly ShellAssignment[]): boolean {
  return assignments.every(({ name, value }) => HARMLESS.has(name) && value.value !== undefined && /^[\w.:@,+=*-]*$/.test(value.value));
}

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
