/** What keeps a script of sed from being proven harmless. */
export interface SedObstacle {
  readonly why: string;
  /** The file that is written, where it names one. */
  readonly file?: string;
}

/**
 * Reads a script of sed; undefined where it does nothing but change the text that goes through. Only what every sed reads
 * in the same way passes: no delimiter inside brackets, no backslash in the text of `a`, `i` and `c`.
 */
export function findSedObstacle(script: string): SedObstacle | undefined {
  let at = 0;
  const accept = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const match = pattern.exec(script);
    if (match === null) return undefined;
    at = pattern.lastIndex;
    return match;
  };
  const fileHere = (): string => script.slice(at).trimStart();

  for (;;) {
    accept(/[\s;]*/y);
    if (at === script.length) return undefined;
    if (!acceptAddresses(accept)) return UNKNOWN;
    const command = accept(/[\s\S]/y)?.[0] ?? "";
    if (command === "w") return { why: 'its command "w" writes a file', file: fileHere() };
    if (command === "W" || command === "r" || command === "R") return { why: `its command "${command}" names a file` };
    if (command === "e") return { why: 'its command "e" runs a program' };
    if (command === "s") {
      const flags = acceptSubstitution(accept);
      if (flags === undefined) return UNKNOWN;
      if (flags.includes("e")) return { why: 'its flag "e" runs a program' };
      if (flags.includes("w")) return { why: 'its flag "w" writes a file', file: fileHere() };
    } else {
      const rest = COMMAND_RESTS.get(command);
      if (rest === undefined || accept(rest) === undefined) return UNKNOWN;
    }
    if (!TEXT_COMMANDS.has(command) && accept(/[ \t]*(?:$|[\n;]|(?=[}#]))/y) === undefined) return UNKNOWN;
  }
}

const UNKNOWN: SedObstacle = { why: "it is not known what its script does" };

type Accept = (pattern: RegExp) => RegExpExecArray | undefined;

/** What stands behind a command that is harmless. */
const COMMAND_RESTS: ReadonlyMap<string, RegExp> = new Map([
  ...Array.from("=dDhHgGnNpPxzF", (command) => [command, /(?:)/y] as const),
  ...Array.from("qQlL", (command) => [command, /[ \t]*\d*/y] as const),
  ...Array.from("btT:", (command) => [command, /[ \t]*[\w.-]*/y] as const),
  ...Array.from("aic", (command) => [command, /[ \t]*(?:\\\n[^\\\n]*|\\[^\\\n][^\\\n]*|[^\s\\][^\\\n]*)(?:\n|$)/y] as const),
  ["{", /(?=[\s\S])/y],
  ["}", /(?:)/y],
  ["#", /[^\n]*(?:\n|$)/y],
  ["y", /([/|,@:!%~+=_])(?:\\[^\n]|(?!\1)[^\\\n])*\1(?:\\[^\n]|(?!\1)[^\\\n])*\1/y],
]);

/** The commands behind which another may stand at once, or which take the line. */
const TEXT_COMMANDS: ReadonlySet<string> = new Set(["a", "i", "c", "{", "#"]);

/** A regular expression up to its delimiter, which is group 1. */
const DELIMITED = String.raw`((?:\\[^\n]|\[\^?(?:(?!\1)[^\]\[\\\n]|\\(?!\1)[^\]\[\\\n]|\[:[a-z]+:\])+\]|(?!\1)[^\[\\\n])*)\1`;

function acceptAddresses(accept: Accept): boolean {
  if (acceptAddress(accept) && accept(/[ \t]*,[ \t]*/y) !== undefined && accept(/[+~]\d+/y) === undefined && !acceptAddress(accept)) return false;
  accept(/[ \t]*(?:![ \t!]*)?/y);
  return true;
}

function acceptAddress(accept: Accept): boolean {
  if (accept(/\d+(?:~\d+)?|\$/y) !== undefined) return true;
  return accept(new RegExp(String.raw`(?:(?=/)|\\(?=[|,@:!%~+=_#]))(.)${DELIMITED}[IM]*`, "y")) !== undefined;
}

/** The flags of a substitution, up to one that runs or writes. */
function acceptSubstitution(accept: Accept): string | undefined {
  const match = accept(new RegExp(String.raw`([/|,#@:!%~+=_])${DELIMITED}(?:\\[\s\S]|(?!\1)[^\\\n])*\1([gpiImM\d]*[ew]?)`, "y"));
  return match?.[3];
}
