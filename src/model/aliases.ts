/** The model that is used where nothing names one. */
export const DEFAULT_MODEL = "sonnet";

/** The newest model of each family that the service's types name. */
export const MODEL_ALIASES: Readonly<Record<string, string>> = {
  opus: "claude-opus-5-5",
  sonnet: "claude-sonnet-5-5",
  haiku: "claude-haiku-5-5",
};

/**
 * The model id that a name stands for. A name that is no alias is an id already.
 *
 * @param overrides aliases of the user's configuration; they go before the built-in ones and may add names
 */
export function resolveModelAlias(name: string, overrides: Readonly<Record<string, string>> = {}): string {
  for (const aliases of [overrides, MODEL_ALIASES]) {
    const id = Object.hasOwn(aliases, name) ? aliases[name] : undefined;
    if (id !== undefined) return id;
  }
  return name;
}
