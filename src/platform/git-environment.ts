import { delimiter, isAbsolute } from "node:path";
import { childEnvironment } from "./child-env.ts";

/** Where git works, instead of what it would find by itself. Absolute, real paths. */
export interface GitPlace {
  /** Of a linked worktree, its own folder below the repository's. */
  readonly gitDirectory: string;
  /** Absent for commands that look at no files. */
  readonly workTree?: string;
  /** Another file than the index of the checkout. */
  readonly indexFile?: string;
}

/**
 * The environment of a git process: no variable that leads git elsewhere or makes it run something, no credentials, no
 * relative entry in `PATH`, and messages in English. The user's own configuration and identity stay the user's.
 *
 * @param options.identity whose name new commits bear; the user's unless told
 */
export function gitEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  options: { readonly place?: GitPlace | undefined; readonly identity?: "user" | "agent" | undefined },
): Record<string, string> {
  const kept = Object.fromEntries(Object.entries(env).filter(([name]) => !/^(?:GIT_|LC_|LANG$|LANGUAGE$|SSH_ASKPASS)/.test(name) || KEPT.has(name)));
  const path = (env["PATH"] ?? "").split(delimiter).filter((entry) => isAbsolute(entry));
  return childEnvironment(kept, {
    set: {
      ...FIXED,
      PATH: path.join(delimiter) || "/usr/bin:/bin",
      ...(options.identity === "agent" ? AGENT_IDENTITY : {}),
      ...placeVariables(options.place),
    },
  });
}

const KEPT: ReadonlySet<string> = new Set([
  "GIT_AUTHOR_NAME",
  "GIT_AUTHOR_EMAIL",
  "GIT_COMMITTER_NAME",
  "GIT_COMMITTER_EMAIL",
  "GIT_CONFIG_GLOBAL",
  "GIT_CONFIG_SYSTEM",
  "GIT_CONFIG_NOSYSTEM",
]);

const FIXED: Readonly<Record<string, string>> = {
  LC_ALL: "C",
  GIT_TERMINAL_PROMPT: "0",
  // A look at a checkout must not rewrite its index; commands that have to write do so all the same.
  GIT_OPTIONAL_LOCKS: "0",
  // Whatever is missing in a partial clone is not fetched: by this where git knows it, by the protocols everywhere.
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_ADVICE: "0",
};

const AGENT_IDENTITY: Readonly<Record<string, string>> = {
  GIT_AUTHOR_NAME: "agent",
  GIT_AUTHOR_EMAIL: "agent@localhost",
  GIT_COMMITTER_NAME: "agent",
  GIT_COMMITTER_EMAIL: "agent@localhost",
};

function placeVariables(place: GitPlace | undefined): Record<string, string> {
  if (place === undefined) return {};
  return {
    GIT_DIR: place.gitDirectory,
    ...(place.workTree === undefined ? {} : { GIT_WORK_TREE: place.workTree }),
    ...(place.indexFile === undefined ? {} : { GIT_INDEX_FILE: place.indexFile }),
  };
}
