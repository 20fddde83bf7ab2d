import { isAbsolute, normalize } from "node:path";
import type { PermissionContext, ToolAccess } from "../core/permission.ts";
import { resolveRealPath } from "../platform/resolve-real-path.ts";
import type { PathTarget } from "./match-path.ts";

/** One call that is to be decided, and by what. */
export interface PermissionRequest<Access extends ToolAccess = ToolAccess> {
  /** The name of the tool. */
  readonly tool: string;
  readonly access: Access;
  /** Whether the call is proven to change nothing. */
  readonly isReadOnly: boolean;
  readonly context: PermissionContext;
  /** Absolute, real path: where relative paths of calls and rules start. */
  readonly cwd: string;
  /** More that is never free to write, absolute: the user's configuration, the state directory. */
  readonly protectedPaths?: readonly string[];
  /** Whether the programs of a command are found outside the working directory alone; true unless told. */
  readonly isSearchPathFixed?: boolean;
  /** The home directory; the user's unless told. */
  readonly home?: string;
}

export type CommandRequest = PermissionRequest<Extract<ToolAccess, { kind: "command" }>>;
export type PathRequest = PermissionRequest<Exclude<ToolAccess, { kind: "command" }>>;

export function pathTarget(path: string, cwd: string): PathTarget {
  const absolute = isAbsolute(path) ? path : `${cwd}/${path}`;
  return { literal: withoutEndSlash(normalize(absolute)), real: resolveRealPath(absolute) };
}

function withoutEndSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}
