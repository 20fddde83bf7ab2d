/**
 * Whether `PATH` finds programs at the same places wherever a command runs. An empty or relative part of it finds them in
 * the working directory first, where `ls` may be anything; without a value the shell chooses one of its own.
 */
export function isSearchPathFixed(path: string | undefined): boolean {
  return path !== undefined && path !== "" && path.split(":").every((part) => part.startsWith("/"));
}
