/**
 * The environment for the programs that tasks run: without our own credentials and without what would turn an executable
 * made with Bun into something else, and with settings that make editors, pagers and password prompts go on or fail
 * instead of waiting for somebody.
 *
 * @param env the environment to start from, as `process.env`
 * @param options.set what is added, and wins: the marks by which the processes of a task are found
 */
export function childEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  options: { readonly set: Readonly<Record<string, string>> },
): Record<string, string> {
  const child: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !isWithheld(name)) child[name] = value;
  }
  return { ...child, ...UNATTENDED, ...options.set };
}

const WITHHELD: ReadonlySet<string> = new Set([
  "BUN_OPTIONS",
  "BUN_BE_BUN",
  // The launcher's setting for its own requests.
  "BUN_CONFIG_MAX_HTTP_REQUESTS",
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "ANTHROPIC_BASE_URL",
  "ANTHROPIC_CUSTOM_HEADERS",
  // They change where a shell goes and what a pattern means, so that a command would do something else than what was judged.
  "CDPATH",
  "GLOBIGNORE",
  "SHELLOPTS",
  "BASHOPTS",
]);

function isWithheld(name: string): boolean {
  return WITHHELD.has(name) || name.startsWith("BUN_INSPECT");
}

/** `true` as an editor accepts the text as it stands; `cat` as a pager shows everything at once. */
const UNATTENDED: Readonly<Record<string, string>> = {
  AGENT: "1",
  EDITOR: "true",
  VISUAL: "true",
  GIT_EDITOR: "true",
  GIT_SEQUENCE_EDITOR: "true",
  PAGER: "cat",
  GIT_PAGER: "cat",
  MANPAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  SSH_ASKPASS_REQUIRE: "never",
  DEBIAN_FRONTEND: "noninteractive",
  // Output goes to a pipe, whatever terminal the program itself was started from.
  TERM: "dumb",
};
