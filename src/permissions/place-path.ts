import { isAbsolute, join } from "node:path";

/**
 * The absolute path of a directory in which a command may run. One with `..` behind a name stays as it is, since that may
 * be a link.
 *
 * @param cwd absolute: where the shell starts
 */
export function placePath(directory: string, cwd: string): string {
  if (isAbsolute(directory)) return directory;
  const isWayThroughLink = /[^./][^/]*\/(?:.*\/)?\.\.(?:\/|$)/.test(directory);
  return isWayThroughLink ? `${cwd}/${directory}` : join(cwd, directory);
}
