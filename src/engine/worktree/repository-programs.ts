import { AppError } from "../../core/errors.ts";
import { runGit, type GitWorld } from "../../platform/git.ts";
import type { GitPlace } from "../../platform/git-environment.ts";

/** What a repository's configuration would have git run, and how it is kept from that. */
export interface RepositoryPrograms {
  /** Settings that switch all of it off, for `GitCall.config`. */
  readonly config: readonly string[];
  /** The content filters that are off. Files that need one would come out wrong. */
  readonly filters: ReadonlySet<string>;
  /** The merge drivers that it names. */
  readonly mergeDrivers: ReadonlySet<string>;
}

/**
 * Reads what a repository's own configuration names. What the user's or the machine's configuration names is theirs and
 * stays, but for hooks: a worktree is made without any.
 *
 * Rejects with an `AppError` where the configuration cannot be read, or names something in a way that cannot be switched off.
 */
export async function readRepositoryPrograms(place: GitPlace, world: GitWorld): Promise<RepositoryPrograms> {
  const result = await runGit({ args: ["config", "--list", "-z", "--show-scope"], cwd: place.workTree ?? place.gitDirectory, place }, world);
  if (result.exitCode !== 0) throw new AppError("failed", `Cannot read the configuration of "${place.gitDirectory}": ${result.complaint}`, { code: "git_failed" });
  const settings = settingsOf(result.stdout.toString());
  const own = settings.filter(({ scope }) => scope === "local" || scope === "worktree");
  const filters = new Set(own.flatMap(({ name }) => subsection(name, "filter") ?? (isLfsProgram(name) ? ["lfs"] : [])));
  const hooks = new Set(settings.flatMap(({ name }) => subsection(name, "hook") ?? []));
  const mergeDrivers = new Set(own.flatMap(({ name }) => (name.endsWith(".driver") ? (subsection(name, "merge") ?? []) : [])));
  for (const name of [...filters, ...hooks]) refuseOddName(name, place);
  return {
    config: [
      ...[...filters].flatMap((name) => [`filter.${name}.clean=`, `filter.${name}.smudge=`, `filter.${name}.process=`, `filter.${name}.required=false`]),
      ...[...hooks].map((name) => `hook.${name}.enabled=false`),
    ],
    filters,
    mergeDrivers,
  };
}

interface Setting {
  readonly scope: string;
  readonly name: string;
}

/** Scope, then name, line feed and value, each closed by a NUL. */
function settingsOf(text: string): Setting[] {
  const fields = text.split("\0");
  return Array.from({ length: Math.floor(fields.length / 2) }, (_, index) => ({
    scope: fields[2 * index] ?? "",
    name: (fields[2 * index + 1] ?? "").split("\n", 1)[0] ?? "",
  }));
}

/** Names are `section.subsection.key`; only the one in the middle holds dots and upper case. */
function subsection(name: string, section: string): string[] | undefined {
  const inner = name.startsWith(`${section}.`) ? name.slice(section.length + 1, name.lastIndexOf(".")) : "";
  return inner === "" ? undefined : [inner];
}

/** The user's own filter for large files would run what the repository names here. */
function isLfsProgram(name: string): boolean {
  return /^lfs\.(?:customtransfer|extension)\./.test(name) || /^lfs\..*standalonetransferagent$/.test(name);
}

function refuseOddName(name: string, { gitDirectory }: GitPlace): void {
  if (/^[\w.+@/-]+$/.test(name)) return;
  throw new AppError("failed", `Cannot use the repository "${gitDirectory}": its configuration names a filter or hook ${JSON.stringify(name)}, which cannot be switched off`, {
    code: "unusable_configuration",
  });
}
