import { existsSync, statSync } from "node:fs";
import { dirname, relative } from "node:path";
import type { PermissionContext, ToolAccess } from "../core/permission.ts";
import { isInside } from "../lib/is-inside.ts";
import { shellQuote } from "../lib/shell-quote.ts";
import { plainCommandWords } from "./match-command.ts";
import type { PathTarget } from "./match-path.ts";

/** The smallest command-line flag, or flags, under which a call that was not allowed would be. */
export function suggestFlag(params: {
  readonly tool: string;
  readonly access: ToolAccess;
  readonly target: PathTarget | undefined;
  readonly isProtected: boolean;
  readonly context: PermissionContext;
  readonly cwd: string;
}): string | undefined {
  const { access, context, target } = params;
  if (access.kind === "command") return commandFlag(access.command, context);
  if (target === undefined) return undefined;
  const flags: string[] = [];
  if (access.kind === "write" && params.isProtected) {
    if (context.mode === "plan") flags.push("--permission-mode default");
    flags.push(allowFlag(params.tool, specOfPath(target.real, params.cwd)));
    return flags.join(" ");
  }
  if (access.kind === "write" && context.mode !== "acceptEdits") flags.push("--permission-mode acceptEdits");
  if (!context.directories.some((directory) => isInside(target.real, directory))) {
    flags.push(`--add-dir ${shellQuote(directoryFor(target.real))}`);
  }
  return flags.join(" ");
}

/** No rule for a command covers an opaque one, so nothing less than the mode that asks for nothing lets it run. */
function commandFlag(command: string, context: PermissionContext): string {
  const words = plainCommandWords(command);
  if (words === undefined) return "--permission-mode bypassPermissions";
  const flag = allowFlag("Bash", generalized(words));
  return context.mode === "plan" ? `--permission-mode default ${flag}` : flag;
}

function allowFlag(tool: string, spec: string): string {
  return `--allow ${shellQuote(`${tool}(${spec})`)}`;
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
