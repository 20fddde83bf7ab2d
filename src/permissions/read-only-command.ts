import { isAbsolute } from "node:path";
import { isInside } from "../lib/is-inside.ts";
import { resolveRealPath } from "../platform/resolve-real-path.ts";
import { plainCommandWords } from "./match-command.ts";

/** Whether a command is proven to change nothing and to read only inside the directories. */
export function isReadOnlyCommand(command: string, directories: readonly string[], cwd: string): boolean {
  return readOnlyCommandPaths(command, { directories, cwd }) !== undefined;
}

/**
 * The paths, as the command names them but absolute, that a command proven to be read-only reads. Undefined for every
 * command that is not proven to be.
 */
export function readOnlyCommandPaths(
  command: string,
  { directories, cwd }: { readonly directories: readonly string[]; readonly cwd: string },
): readonly string[] | undefined {
  const [program, ...args] = plainCommandWords(command) ?? [];
  const operands = program === undefined ? undefined : READ_ONLY_PROGRAMS.get(program);
  if (operands === undefined) return undefined;
  if (operands === "any") return [];
  // Long options are left out: some name files.
  if (args.some((arg) => arg.startsWith("-") && !/^-[A-Za-z0-9]+$/.test(arg))) return undefined;
  const words = args.filter((arg) => !arg.startsWith("-"));
  if (operands === "none") return words.length === 0 ? [] : undefined;
  const paths = (words.length === 0 ? ["."] : words).map((word) => (isAbsolute(word) ? word : `${cwd}/${word}`));
  return paths.every((path) => isInAny(resolveRealPath(path), directories)) ? paths : undefined;
}

/** Programs none of whose short options writes, runs or names a file, and what their operands are. */
const READ_ONLY_PROGRAMS: ReadonlyMap<string, "any" | "none" | "paths"> = new Map([
  ["true", "any"],
  ["false", "any"],
  ["echo", "any"],
  ["sleep", "any"],
  ["pwd", "none"],
  ["ls", "paths"],
  ["cat", "paths"],
  ["head", "paths"],
  ["tail", "paths"],
  ["wc", "paths"],
]);

function isInAny(path: string, directories: readonly string[]): boolean {
  return directories.some((directory) => isInside(path, directory));
}
