import { accessSync, constants, existsSync, lstatSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { errorMessage } from "../../core/errors.ts";
import { formatByteSize } from "../../lib/byte-size.ts";
import { openPinnedDirectory } from "../../platform/pinned-directory.ts";
import { NETWORK_FILE_SYSTEMS } from "../../platform/state-directory.ts";
import type { StatePaths } from "../../platform/state-paths.ts";
import { treeSize } from "../../platform/tree-size.ts";
import type { Check } from "./check.ts";

const STATE_BYTES_WARN = 2 * 1_024 ** 3;
const FREE_BYTES_FAIL = 16 * 1_048_576;
const FREE_BYTES_WARN = 256 * 1_048_576;

/** The folders that the program keeps for itself. Looks only: what is missing stays missing. */
export function folderChecks(paths: StatePaths): Check[] {
  return [stateCheck(paths.state), sizeCheck(paths.state), spaceCheck(paths.state), runtimeCheck(paths.runtime), cacheCheck(paths.cache)];
}

function stateCheck(path: string): Check {
  const name = "state folder";
  const advice = `make it a folder of this user with mode 0700 on a local disk, or set AGENT_STATE_DIR to another one`;
  const problem = privacyProblem(path) ?? networkProblem(path);
  if (problem !== undefined) return { name, status: "fail", message: problem, advice };
  return { name, status: "ok", message: exists(path) ? `"${path}" is private and on a local file system` : `"${path}" does not exist yet; the first run makes it` };
}

/** Nothing of it goes by itself. */
function sizeCheck(path: string): Check {
  const name = "state size";
  const bytes = exists(path) ? treeSize(path) : 0;
  const message = `${formatByteSize(bytes)} in "${path}"`;
  if (bytes <= STATE_BYTES_WARN) return { name, status: "ok", message };
  return { name, status: "warn", message, advice: 'run "agent gc --dry-run" to see what may go, and "agent gc" to remove it' };
}

function spaceCheck(path: string): Check {
  const name = "free space";
  const { bavail, bsize } = statfsSync(nearestExisting(path));
  const free = bavail * bsize;
  const message = `${formatByteSize(free)} for "${path}"`;
  const advice = "make room on that disk, or set AGENT_STATE_DIR to a folder on another one";
  if (free < FREE_BYTES_FAIL) return { name, status: "fail", message, advice };
  return free < FREE_BYTES_WARN ? { name, status: "warn", message, advice } : { name, status: "ok", message };
}

function runtimeCheck(path: string | undefined): Check {
  const name = "runtime folder";
  if (path === undefined) return { name, status: "ok", message: "the system names none; control sockets stand in the state folder" };
  const problem = privacyProblem(path);
  if (problem === undefined) return { name, status: "ok", message: exists(path) ? `"${path}" is private` : `"${path}" does not exist yet; the first run makes it` };
  return { name, status: "warn", message: `${problem}; control sockets stand in the state folder instead`, advice: "set AGENT_RUNTIME_DIR to a folder of this user with mode 0700" };
}

function cacheCheck(path: string): Check {
  const name = "cache folder";
  const advice = "make it a folder of this user that nobody else can write, or set AGENT_CACHE_DIR to another one";
  if (!exists(path)) return missingCheck({ name, path, advice });
  const stat = lstatSync(path);
  const user = process.geteuid?.();
  if (!stat.isDirectory()) return { name, status: "fail", message: `"${path}" is no folder`, advice };
  if (user !== undefined && (stat.uid !== user || (stat.mode & 0o022) !== 0)) {
    return { name, status: "fail", message: `"${path}" belongs to somebody else, or others can write to it; file search does not work`, advice };
  }
  return { name, status: "ok", message: `"${path}" can be written by us alone` };
}

/** What keeps us from using a folder as a private one, or from making it. */
function privacyProblem(path: string): string | undefined {
  if (!exists(path)) return creationProblem(path);
  try {
    openPinnedDirectory(path, { create: false }).close();
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}

function missingCheck({ name, path, advice }: { readonly name: string; readonly path: string; readonly advice: string }): Check {
  const problem = creationProblem(path);
  if (problem !== undefined) return { name, status: "fail", message: problem, advice };
  return { name, status: "ok", message: `"${path}" does not exist yet; it is made when it is needed` };
}

function creationProblem(path: string): string | undefined {
  const parent = nearestExisting(path);
  try {
    if (!statSync(parent).isDirectory()) return `"${path}" cannot be made: "${parent}" is no folder`;
    accessSync(parent, constants.W_OK | constants.X_OK);
    return undefined;
  } catch {
    return `"${path}" cannot be made: "${parent}" cannot be written`;
  }
}

function networkProblem(path: string): string | undefined {
  const name = NETWORK_FILE_SYSTEMS.get(statfsSync(nearestExisting(path)).type >>> 0);
  return name === undefined ? undefined : `"${path}" is on a network file system (${name}), where locks cannot be trusted`;
}

function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path));
}

/** A link that leads nowhere is something too. What cannot be looked at is told of when it would have to be made. */
function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
