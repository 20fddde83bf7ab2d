import { dirname, join } from "node:path";

/**
 * The folders that may hold agent definitions; ours go before those of the other program.
 *
 * @param params.config the user's `config.jsonc`; their definitions stand in `agents` beside it
 * @param params.home the user's home, where another program keeps theirs
 */
export function definitionFolders({ cwd, config, home }: { readonly cwd: string; readonly config: string; readonly home: string }): { readonly user: readonly string[]; readonly project: readonly string[] } {
  const user = [join(dirname(config), "agents"), join(home, ".claude", "agents")];
  const project = [join(cwd, ".agent", "agents"), join(cwd, ".claude", "agents")].filter((folder) => !user.includes(folder));
  return { user, project };
}
