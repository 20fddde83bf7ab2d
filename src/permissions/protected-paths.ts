import { foldPath } from "../lib/fold-path.ts";
import { isInside } from "../lib/is-inside.ts";

/**
 * The name on account of which a path is not free to write in any mode that asks: what stands there makes git, an editor,
 * a shell, a package manager or this program run something. Whether the file exists does not matter, and neither does
 * letter case. Undefined for any other path.
 *
 * What a working directory itself is called or lies in does not count: it was chosen. Only inside a repository's own
 * `.git` everything stays protected.
 *
 * @param options.directories the working directories, absolute
 * @param options.extra absolute paths that are protected with all that is in them: the user's configuration, the state
 *   directory
 */
export function protectedName(
  path: string,
  options: { readonly directories: readonly string[]; readonly extra: readonly string[] },
): string | undefined {
  const folded = foldPath(path);
  const chosen = options.directories.map(foldPath).filter((directory) => isInside(folded, directory));
  const above = Math.max(0, ...chosen.map((directory) => directory.length));
  const components = componentsOf(folded.slice(above));
  if (componentsOf(folded).includes(".git")) return ".git";
  const directory = components.find((component) => PROTECTED_DIRECTORIES.has(component));
  if (directory !== undefined) return directory;
  const name = components.at(-1) ?? "";
  if (PROTECTED_FILES.has(name)) return name;
  const ending = [...PROTECTED_ENDINGS, ...PARENTS_OF_ENDINGS].find((candidate) => `/${components.join("/")}`.endsWith(`/${candidate}`));
  return ending ?? options.extra.find((protectedPath) => isInside(folded, foldPath(protectedPath)) && foldPath(protectedPath).length > above);
}

/** Without the dots and spaces at the end that some file systems drop. */
function componentsOf(folded: string): readonly string[] {
  return folded.split("/").map((component) => component.replace(/[. ]+$/, ""));
}

/** Whether a path of /proc shows or changes the inside of a process: its environment holds keys, its memory everything. */
export function isProcessInside(realPath: string): boolean {
  return PROCESS_INSIDE.test(realPath);
}

const PROCESS_INSIDE = /^\/proc\/(?:\d+|self|thread-self)\/(?:task\/\d+\/)?(?:environ|mem|auxv|fd|map_files|root|cwd)(?:\/|$)/;

const PROTECTED_DIRECTORIES: ReadonlySet<string> = new Set([".git", ".agent", ".claude", ".husky", ".githooks", ".ssh", ".gnupg", ".devcontainer"]);

const PROTECTED_FILES: ReadonlySet<string> = new Set([
  ".mcp.json",
  ".gitconfig",
  ".gitmodules",
  ".envrc",
  ".npmrc",
  ".yarnrc",
  ".yarnrc.yml",
  ".pnpmfile.cjs",
  ".pre-commit-config.yaml",
  ".profile",
  ".bashrc",
  ".bash_profile",
  ".bash_login",
  ".bash_logout",
  ".bash_aliases",
  ".zshrc",
  ".zshenv",
  ".zprofile",
  ".zlogin",
  ".zlogout",
  ".kshrc",
  ".cshrc",
  ".tcshrc",
  ".login",
  ".logout",
  ".inputrc",
  ".exrc",
  ".vimrc",
]);

const PROTECTED_ENDINGS: readonly string[] = [
  ".vscode/tasks.json",
  ".vscode/settings.json",
  ".vscode/launch.json",
  ".vscode/mcp.json",
  ".cursor/mcp.json",
  ".cursor/hooks.json",
  ".config/fish/config.fish",
  ".config/git/config",
];

/** A directory that is moved or copied to one of these names brings the protected files along. */
const PARENTS_OF_ENDINGS: readonly string[] = [...new Set(PROTECTED_ENDINGS.map((ending) => ending.slice(0, ending.lastIndexOf("/")))), ".config"];
