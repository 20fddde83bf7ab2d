import { existsSync, statSync } from "node:fs";
import { dirname, relative } from "node:path";
import type { PermissionContext } from "../core/permission.ts";
import { isInside } from "../lib/is-inside.ts";
import { shellQuote } from "../lib/shell-quote.ts";
import type { PathTarget } from "./match-path.ts";
import { plainWords } from "./shell/plain-words.ts";

/** The smallest command-line flag, or flags, under which a read or write that was not allowed would be. */
export function suggestPathFlag(params: {
  readonly tool: string;
  readonly isWrite: boolean;
  readonly target: PathTarget;
  readonly isProtected: boolean;
  readonly context: PermissionContext;
  readonly cwd: string;
}): string {
  const { context, target, isWrite } = params;
  const flags: string[] = [];
  if (isWrite && params.isProtected) {
    if (!isPlainSpec(target.real)) return "";
    if (context.mode === "plan") flags.push("--permission-mode default");
    flags.push(allowFlag(`${params.tool}(${specOfPath(target.real, params.cwd)})`));
    return flags.join(" ");
  }
  if (isWrite && context.mode !== "acceptEdits") flags.push("--permission-mode acceptEdits");
  if (!context.directories.some((directory) => isInside(target.real, directory))) {
    flags.push(`--add-dir ${shellQuote(directoryFor(target.real))}`);
  }
  return flags.join(" ");
}

/** The smallest rule that covers a command of literal words; undefined where no rule can name it. */
export function suggestCommandRule(words: readonly string[]): string | undefined {
  const spec = generalized(words);
  const isPlain = words.slice(0, spec.split(" ").length).every((word) => plainWords(word) !== undefined && !word.includes(" "));
  return isPlain ? `Bash(${spec})` : undefined;
}

/** The rule that covers one path, wherever it is looked at from; undefined where the path would be read as a pattern. */
export function suggestPathRule(tool: string, target: PathTarget): string | undefined {
  return isPlainSpec(target.real) ? `${tool}(${target.real})` : undefined;
}

/** A file may be called `*`, and a rule for it would mean every file. */
function isPlainSpec(path: string): boolean {
  return !/[*?[\]{}!\\()]/.test(path);
}

export function allowFlag(rule: string): string {
  return `--allow ${shellQuote(rule)}`;
}

/** Programs whose first argument says what they do. */
const MULTIPLEXERS: ReadonlySet<string> = new Set([
  "bun", "cargo", "deno", "docker", "dotnet", "gh", "git", "go", "gradle", "just", "kubectl", "make", "mvn", "npm", "pip", "pnpm", "poetry", "uv", "yarn",
]);

/** `npm run build --x` → `npm run build:*`; a command that is not known to have subcommands stays as it is. */
function generalized(words: readonly string[]): string {
  const [program = "", subcommand = "-"] = words;
  if (!MULTIPLEXERS.has(program) || subcommand.startsWith("-")) return words.join(" ");
  const length = subcommand === "run" && words.length > 2 ? 3 : 2;
  return `${words.slice(0, length).join(" ")}:*`;
}

function specOfPath(path: string, cwd: string): string {
  return isInside(path, cwd) ? relative(cwd, path) : `/${path}`;
}

/** The directory itself, or the nearest one above a file that exists. */
function directoryFor(path: string): string {
  const stat = existsSync(path) ? statSync(path) : undefined;
  if (stat?.isDirectory() === true) return path;
  const parent = dirname(path);
  return parent === path || existsSync(parent) ? parent : directoryFor(parent);
}
