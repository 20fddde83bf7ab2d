import { errorMessage } from "../../core/errors.ts";
import { resolveStatePaths } from "../../platform/state-paths.ts";
import type { Check } from "./check.ts";
import { folderChecks } from "./folder-checks.ts";
import { ledgerChecks } from "./ledger-checks.ts";
import { machineChecks } from "./machine-checks.ts";
import { settingsChecks } from "./settings-checks.ts";
import { supervisionCheck } from "./supervision-check.ts";

/**
 * Looks at everything that runs depend on. Creates nothing, mends nothing and contacts nobody. Rejects with an `AppError`
 * of reason `usage` where a variable names an impossible place.
 *
 * @param params.now milliseconds since the epoch
 */
export async function runChecks({ env, cwd, now }: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly now: number;
}): Promise<Check[]> {
  const paths = resolveStatePaths(env);
  const groups = [
    attempt("folders", () => folderChecks(paths)),
    attempt("ledger", () => ledgerChecks(paths.state)),
    attempt("settings", () => settingsChecks({ env, cwd, paths })),
    attempt("machine", () => machineChecks({ env, now })),
    attempt("supervision", () => [supervisionCheck(env)]),
  ];
  return (await Promise.all(groups)).flat();
}

/** A check that breaks must not hide the others. */
async function attempt(name: string, check: () => Check[] | Promise<Check[]>): Promise<Check[]> {
  try {
    return await check();
  } catch (error) {
    return [{ name, status: "fail", message: `It could not be checked: ${errorMessage(error)}` }];
  }
}
