import { isAbsolute, normalize } from "node:path";
import { resolveRealPath } from "../platform/resolve-real-path.ts";
import type { PathTarget } from "./match-path.ts";

export function pathTarget(path: string, cwd: string): PathTarget {
  const absolute = isAbsolute(path) ? path : `${cwd}/${path}`;
  return { literal: withoutEndSlash(normalize(absolute)), real: resolveRealPath(absolute) };
}

function withoutEndSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}
