import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { foldPath } from "../lib/fold-path.ts";
import { isInside } from "../lib/is-inside.ts";
import { isSameFile } from "../platform/same-file.ts";
import { resolveRealPath } from "../platform/resolve-real-path.ts";

/** One path as a call names it and as the system finds it. */
export interface PathTarget {
  /** Absolute, without `.` and `..`. */
  readonly literal: string;
  readonly real: string;
}

/**
 * Where the globs of rules start.
 *
 * A spec is relative to `cwd`; `/x` and `//x` are absolute, `~/x` starts at the home directory.
 */
export interface SpecBase {
  readonly cwd: string;
  /** The home directory of the user unless told. */
  readonly home?: string;
}

/**
 * Whether an allow rule covers a path: both the path as named and the real one must match. Where the spec has no glob
 * characters and names a directory, it covers what is in it.
 */
export function allowsPath(spec: string, target: PathTarget, base: SpecBase): boolean {
  const pattern = parsePathSpec(spec, base);
  return matches(pattern, target.literal) && matches(pattern, target.real);
}

/**
 * Whether a deny or ask rule may mean a path. Errs on the side of yes: the path as named or the real one is enough, so
 * is a directory above it, another letter case or composition, a link in the spec itself, and, where the spec has no
 * glob characters, another hard link of the same file. Hard links are not recognized through a glob.
 */
export function mayMeanPath(spec: string, target: PathTarget, base: SpecBase): boolean {
  const pattern = parsePathSpec(spec, base);
  const patterns = [pattern, { ...pattern, base: resolveRealPath(pattern.base) }].map(folded);
  const paths = [target.literal, target.real].map(foldPath);
  if (patterns.some((candidate) => paths.some((path) => selfAndAncestors(path).some((above) => matches(candidate, above))))) return true;
  return pattern.glob === "" && isSameFile(pattern.base, target.real);
}

/** What a spec has that the globs here do not know or that has no end; undefined where it is fine. */
export function problemOfPathSpec(spec: string): string | undefined {
  if (/(?:^|\/)!/.test(spec)) return "a name that starts with ! is not supported; use a rule of the opposite kind";
  if (/[*?[{].*\/\.\.(?:\/|$)/.test(spec)) return ".. may stand at the beginning only";
  if (/[@+?!*]\(/.test(spec)) return "extended globs such as @(a|b) are not supported; use {a,b}";
  if (count(spec, "[") !== count(spec, "]")) return "a bracket is not closed";
  if (count(spec, "{") !== count(spec, "}")) return "a brace is not closed";
  return undefined;
}

interface PathPattern {
  /** The components before the first one with a glob character; absolute. */
  readonly base: string;
  /** The rest; empty where there is none. */
  readonly glob: string;
}

const GLOB_CHARACTER = /[*?[\]{}\\]/;

function parsePathSpec(spec: string, { cwd, home }: SpecBase): PathPattern {
  const components = spec.split("/").filter((component) => component !== "" && component !== ".");
  const fromHome = components[0] === "~";
  if (fromHome) components.shift();
  const firstGlob = components.findIndex((component) => GLOB_CHARACTER.test(component));
  const literal = firstGlob === -1 ? components : components.slice(0, firstGlob);
  const start = fromHome ? (home ?? homedir()) : spec.startsWith("/") ? "/" : cwd;
  return { base: join(start, ...literal), glob: firstGlob === -1 ? "" : components.slice(firstGlob).join("/") };
}

function folded(pattern: PathPattern): PathPattern {
  return { base: foldPath(pattern.base), glob: foldPath(pattern.glob) };
}

function matches({ base, glob }: PathPattern, path: string): boolean {
  if (!isInside(path, base)) return false;
  if (glob === "") return true;
  const rest = path.slice(base.length).replace(/^\//, "");
  return new Bun.Glob(glob).match(rest);
}

function selfAndAncestors(path: string): readonly string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [path, ...selfAndAncestors(parent)];
}

function count(text: string, character: string): number {
  return text.split(character).length - 1;
}
