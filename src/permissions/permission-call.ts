import { isAbsolute, normalize } from "node:path";
import type { PermissionContext, ToolAccess } from "../core/permission.ts";
import { resolveRealPath } from "../platform/resolve-real-path.ts";
import { plainCommandWords } from "./match-command.ts";
import type { PathTarget } from "./match-path.ts";
import { protectedName } from "./protected-paths.ts";
import { readOnlyCommandPaths } from "./read-only-command.ts";

/** One call that is to be decided, and by what. */
export interface PermissionRequest {
  /** The name of the tool. */
  readonly tool: string;
  readonly access: ToolAccess;
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

/** A request with what had to be found out about it. */
export interface PermissionCall extends PermissionRequest {
  /** What a read or write is about. */
  readonly target: PathTarget | undefined;
  /** Whether a command is proven to be read-only. */
  readonly isReadOnlyCommand: boolean;
  /** The name on account of which a write is not free. */
  readonly protectedBy: string | undefined;
}

/** Looks at the file system to find out what a call really touches. */
export function describeCall(request: PermissionRequest): PermissionCall {
  const { access, context, cwd } = request;
  const target = access.kind === "read" || access.kind === "write" ? pathTarget(access.path, cwd) : undefined;
  const command = access.kind === "command" ? access.command : undefined;
  return {
    ...request,
    target,
    isReadOnlyCommand: command !== undefined && request.isSearchPathFixed !== false && readOnlyCommandPaths(command, { directories: context.directories, cwd }) !== undefined,
    protectedBy: access.kind === "write" && target !== undefined ? protectedBy(target, request) : undefined,
  };
}

function protectedBy(target: PathTarget, request: PermissionRequest): string | undefined {
  const options = { directories: request.context.directories, extra: request.protectedPaths ?? [] };
  return protectedName(target.real, options) ?? protectedName(target.literal, options);
}

function pathTarget(path: string, cwd: string): PathTarget {
  const absolute = isAbsolute(path) ? path : `${cwd}/${path}`;
  return { literal: withoutEndSlash(normalize(absolute)), real: resolveRealPath(absolute) };
}

function withoutEndSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

/** What the words behind a plain command may name: any argument may be a path; of an option, what stands behind the equals sign. */
export function operandsOf(command: string, cwd: string): readonly PathTarget[] {
  const [, ...args] = plainCommandWords(command) ?? [];
  const words = args.map((arg) => (arg.startsWith("-") ? arg.slice(arg.indexOf("=") + 1 || arg.length) : arg));
  return words.filter((word) => word !== "").map((word) => pathTarget(word, cwd));
}
