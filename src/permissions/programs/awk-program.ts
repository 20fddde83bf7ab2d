/**
 * Why a program of awk is not proven to do nothing but print; undefined where it is. Only what every awk reads in the same
 * way passes.
 */
export function findAwkObstacle(program: string): string | undefined {
  const word = FORBIDDEN_WORDS.exec(program)?.[0];
  if (word !== undefined) return `its program says "${word}"`;
  // A line that is continued, or a character that no program needs, may hide a word.
  if (/\\\r?\n|[^\P{Cc}\n\t]/u.test(program)) return "it is not certain how its program is read";
  return /[|>@]/.test(program) ? findRedirection(program) : undefined;
}

/** What runs, reads or writes something else, or reaches such things by other names. */
const FORBIDDEN_WORDS = /(?<![\w])(?:system|getline|close|ARGV|ARGC|ENVIRON|SYMTAB|FUNCTAB|PROCINFO|extension)(?![\w])/;

/** Tells the operators that redirect from those that compare, and from what stands in texts. */
function findRedirection(program: string): string | undefined {
  let at = 0;
  let isOperandBefore = false;
  let isPrinting = false;
  while (at < program.length) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(program)?.[0];
    if (token === undefined) return UNCERTAIN;
    at = TOKEN.lastIndex;
    if (/^[ \t#]/.test(token)) continue;
    if (token === "/" || token === "/=") {
      if (isOperandBefore) {
        isOperandBefore = false;
        continue;
      }
      REGEX.lastIndex = at - token.length;
      if (!REGEX.test(program)) return UNCERTAIN;
      at = REGEX.lastIndex;
      isOperandBefore = true;
      continue;
    }
    if (token === "|" || token === "|&" || token === "@") return `its program says "${token}"`;
    if (token.startsWith(">") && isPrinting) return "its program prints to somewhere else";
    if (token === "print" || token === "printf") isPrinting = true;
    if (token === ";" || token === "}") isPrinting = false;
    const isAmbiguous = token === ")" || token === "++" || token === "--" || token === "length";
    if (isAmbiguous && /^[ \t]*\//.test(program.slice(at))) return UNCERTAIN;
    isOperandBefore = !REGEX_BEFORE.has(token) && /^[\w".)\]]/.test(token);
  }
  return undefined;
}

const UNCERTAIN = "it is not certain what its program does";

const TOKEN = /[ \t]+|#[^\n]*|"(?:\\[^\n]|[^"\\\n])*"|[A-Za-z_]\w*|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|\|\||\|&|&&|>>|[-+*/%^=!<>]=|\+\+|--|[-+*/%^=!<>~?:,;(){}$&|@\n[\]]/y;

/** A regular expression without a slash in brackets, where not every awk lets it stand. */
const REGEX = /\/(?:[^\\/[\]\n]|\\[^\n]|\[\^?(?:[^\\/[\]\n]|\\[^/[\]\n]|\[:[a-z]+:\])+\])*\//y;

/** The words behind which an operand begins. */
const REGEX_BEFORE: ReadonlySet<string> = new Set(["print", "printf", "return", "in", "else", "do", "exit", "case"]);
