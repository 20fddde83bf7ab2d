import { lstatSync, realpathSync } from "node:fs";
import { dirname } from "node:path";

/** What is looked at of a file or a folder. */
export interface PathOwnership {
  readonly uid: number;
  readonly mode: number;
}

const OTHERS_MAY_WRITE = 0o022;

/**
 * Why somebody else could have written a file, as the end of a sentence; undefined when nobody but root and ourselves
 * could: it and every folder above it belong to one of the two, and neither group nor others may write there.
 *
 * Throws the system's error when the path cannot be looked at.
 *
 * @param options.currentUser for tests; undefined where the system has no owners, and then nothing can be trusted
 * @param options.look what the system says of a path, for tests
 */
export function untrustedPath(
  path: string,
  options: { readonly currentUser?: () => number | undefined; readonly look?: (path: string) => PathOwnership } = {},
): string | undefined {
  const { currentUser = () => process.geteuid?.(), look = lstatSync } = options;
  const user = currentUser();
  if (user === undefined) return "this system does not tell who may write to it";
  for (let current = realpathSync(path); ; current = dirname(current)) {
    const { uid, mode } = look(current);
    if (uid !== 0 && uid !== user) return `"${current}" belongs to user ${uid}, who is neither root nor us`;
    if ((mode & OTHERS_MAY_WRITE) !== 0) return `others than the owner may write to "${current}" (mode 0${(mode & 0o7777).toString(8)})`;
    if (current === dirname(current)) return undefined;
  }
}
