import { lstatSync, readlinkSync } from "node:fs";
import { dirname, isAbsolute, join, parse, sep } from "node:path";
import { AppError } from "../core/errors.ts";
import { fileError } from "./file-error.ts";

/** As many links as Linux follows before it gives up. */
const LINKS_MAX = 40;

/**
 * The path at which the system would find, or create, what an absolute path names: every link followed, `..` taken from
 * where a link led, as the system takes it and as joining texts does not.
 *
 * Components that do not exist are kept as they are. A link that leads nowhere yields where it leads, because writing
 * through it would create that.
 */
export function resolveRealPath(path: string): string {
  if (!isAbsolute(path)) throw new AppError("internal", `Cannot resolve "${path}": it is not absolute`);
  if (path.includes("\0")) throw new AppError("failed", `Cannot resolve ${JSON.stringify(path)}: a path holds no NUL`);
  const pending = componentsOf(path).toReversed();
  let real = parse(path).root;
  let links = 0;
  for (let component = pending.pop(); component !== undefined; component = pending.pop()) {
    if (component === "..") {
      real = dirname(real);
      continue;
    }
    const candidate = join(real, component);
    const target = linkTarget(candidate);
    if (target === undefined) {
      real = candidate;
      continue;
    }
    links++;
    if (links > LINKS_MAX) throw fileError("Cannot resolve", path, { code: "ELOOP" });
    if (isAbsolute(target)) real = parse(target).root;
    pending.push(...componentsOf(target).toReversed());
  }
  return real;
}

function componentsOf(path: string): readonly string[] {
  return path
    .slice(parse(path).root.length)
    .split(sep)
    .filter((component) => component !== "" && component !== ".");
}

/**
 * Where a link leads; undefined where there is no link, or nothing that this process could look at: `openRealPath` fails
 * there for the same reason, and never goes through a link that was not seen here.
 */
function linkTarget(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}
