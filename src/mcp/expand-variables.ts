import { AppError } from "../core/errors.ts";

/**
 * Puts the values of variables in the place of `${NAME}` and `${NAME:-else}`. Throws an `AppError` of reason `usage` for a
 * variable that is not set and has nothing else.
 */
export function expandVariables(text: string, env: Readonly<Record<string, string | undefined>>): string {
  return text.replaceAll(/\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (_whole, name: string, otherwise: string | undefined) => {
    const value = env[name] || otherwise;
    if (value === undefined) throw new AppError("usage", `the variable ${name} is not set`, { code: "no_variable" });
    return value;
  });
}
