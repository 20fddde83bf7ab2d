/**
 * The git commit of the sources, "unknown" outside a repository. "-dirty" stands behind it where anything differs from
 * it; a file that git does not track counts, for it may be in the executable.
 */
export function sourceCommit(root: string): string {
  const head = git(["rev-parse", "HEAD"], root);
  if (head === undefined) return "unknown";
  return git(["status", "--porcelain"], root) === "" ? head : `${head}-dirty`;
}

function git(args: readonly string[], cwd: string): string | undefined {
  if (Bun.which("git") === null) return undefined;
  const { success, stdout } = Bun.spawnSync(["git", ...args], { cwd, stderr: "ignore" });
  return success ? stdout.toString().trim() : undefined;
}
