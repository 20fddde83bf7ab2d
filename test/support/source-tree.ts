import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

export const ROOT = join(import.meta.dir, "..", "..");

/** A text file of the repository. */
export interface SourceFile {
  /** Relative to the root, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

export interface Import {
  /** As written. */
  readonly specifier: string;
  /** Relative to the root; undefined for a package. */
  readonly path: string | undefined;
  readonly isDynamic: boolean;
  /** Counts from 1. */
  readonly line: number;
}

/** The files below the given files and folders, sorted by path; those without text in them are left out. */
export function readSources(paths: readonly string[]): SourceFile[] {
  return paths
    .flatMap(filesBelow)
    .filter((path) => /\.(ts|md|json|jsonc|toml|sh)$|\/run$/.test(path))
    .toSorted()
    .map((path) => {
      const text = readFileSync(join(ROOT, path), "utf8");
      return { path, text, imports: path.endsWith(".ts") ? importsOf(path, text) : [] };
    });
}

/** The line of a position in a text, counting from 1. */
export function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}

function filesBelow(path: string): string[] {
  const absolute = join(ROOT, path);
  if (!existsSync(absolute)) return [];
  if (statSync(absolute).isFile()) return [path];
  const entries = readdirSync(absolute, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1));
}

/**
 * Static imports and re-exports stand at the start of a line. Read from the text, because the transpiler forgets the
 * imports of types, which are edges between layers like any other.
 */
function importsOf(path: string, text: string): Import[] {
  const code = text.replaceAll(/^\s*(\*|\/\/|\/\*\*).*$/gm, (comment) => " ".repeat(comment.length));
  const found = [
    ...code.matchAll(/^(?:import|export)\b[^;"'`]*?\bfrom\s*"([^"]+)"/gm),
    ...code.matchAll(/^import\s*"([^"]+)"/gm),
    ...code.matchAll(/\bimport\(\s*"([^"]+)"/g),
  ];
  return found.map((match) => {
    const specifier = match[1] ?? "";
    return {
      specifier,
      path: specifier.startsWith(".") ? join(dirname(path), specifier) : undefined,
      isDynamic: match[0].startsWith("import("),
      line: lineAt(code, match.index),
    };
  });
}
