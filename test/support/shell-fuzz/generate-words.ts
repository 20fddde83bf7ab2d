import type { Random } from "./random.ts";

/** Writes the text of a command that runs within a word. */
export type WriteText = (depth: number) => string;

const PLAIN = ["a", "b", "a.txt", "b.txt", "sub", "sub/x", "sub/deep/y", "-n", "-x", "-la", "--all", "5", "x=y", "--file=a.txt", "..", ".", "../outside/secret", "link/s", "link", "inlink/y", "inlink/../x", "empty", ".env", ".git/config", "/dev/null", "/dev/stdout", "new", "canary", "-", "--", "%s", "@", "a,b", "a:b", "é", "日本", "-o", "-i", "-w"];
const SPACED = ["x y", "a;b", "a|b", "a&b", "$x", "$(canary)", "`canary`", "a b c", "", " ", "*", "#", "# a", "a\nb", "\\", "it's", '"', "{}", "a[$(canary)]", "-v a[$(canary)]", "; -exec canary", "~", "!", ">out", "&& canary", "x'y\"z", "tab\there", "\n", "\\\n"];
const GLOBS = ["*", "*.txt", "?.txt", "sub/*", "a*", "[ab].txt", "[!a].txt", ".*", "link/*", "link/../*", "empty/*", "empty/new*", "inlink/*", "sub/*/y", "*/x", ".e*", ".git/*", "*.none", "[a", "a]", "@(a|b)"];
const BRACES = ["{a,b}", "x{a,b}y", "{a,b", "{a}", "{}", "{1..3}", "{a,$x}", "{a,{b,c}}", "{a..c}", "a{,}", "{canary,x}", "{a,'b c'}", "\\{a,b}", "{a\\,b}", '{a","b}'];
const VARIABLES = ["$x", '"$x"', "${x}", '"${x}"', "$y", "${x:-a}", "${x:-$(canary)}", '"${x:-b c}"', "${#x}", "$1", "$#", "$?", "$@", '"$@"', "$*", "${x#a}", "${x%.*}", "${x/a/b}", "${x@P}", "${!x}", "${x:=canary}", "${x:0:1}", "$-", "$$", "${x:+y}", "$'a'$x", "a$x", "$x/b", "${x^^}", '"a${x}b"', "$$x", "$", '"$"', "a$", "${x:-'a b'}", '"${x:-\'a\'}"'];
const ARITHMETIC = ["$((1+2))", "$((x))", "$(( 3 * (4) ))", '"$((1))"', "$[1+1]", "$((a[$(canary)]))"];
const TILDES = ["~", "~/a", "~root", "~+", "~-", "a~", "x=~", '"~"', "~''", "\\~", "~/sub", "a:~"];

/** One argument. */
export function generateWord(random: Random, depth: number, writeText: WriteText): string {
  return random.choose([
    [40, () => random.pick(PLAIN)],
    [22, () => quote(random, random.chance(0.5) ? random.pick(SPACED) : random.pick(PLAIN))],
    [9, () => random.pick(VARIABLES)],
    [7, () => random.pick(GLOBS)],
    [3, () => random.pick(BRACES)],
    [2, () => random.pick(ARITHMETIC)],
    [2, () => random.pick(TILDES)],
    [depth > 0 ? 8 : 0, () => substitution(random, depth - 1, writeText)],
    [5, () => generateWord(random, depth - 1, writeText) + generateWord(random, depth - 1, writeText)],
    [1, () => random.pick(SPACED)],
  ]);
}

/** A name with quotes and escapes put anywhere, so that the shell takes it for the same name. */
export function disguise(random: Random, name: string): string {
  return random.chance(0.75) ? name : quote(random, name);
}

function substitution(random: Random, depth: number, writeText: WriteText): string {
  const text = writeText(depth);
  return random.choose([
    [5, () => `$(${text})`],
    [3, () => `"$(${text})"`],
    [2, () => `\`${random.chance(0.5) ? text : text.replace(/[\\`$]/g, "\\$&")}\``],
    [1, () => `"a \`${text}\` b"`],
    [1, () => `$( ${text}\n)`],
    [1, () => `<(${text})`],
    [0.5, () => `>(${text})`],
    [0.5, () => `\${x:-$(${text})}`],
    [0.5, () => "$(<a.txt)"],
    [0.5, () => `$(${text} # it's\n)`],
    [0.3, () => `$((1 + $(${text})))`],
  ]);
}

/** Writes a value in pieces, each quoted in a way of its own; now and then in a way that changes it. */
export function quote(random: Random, value: string): string {
  const cut = random.below(value.length + 1);
  const pieces = random.chance(0.5) ? [value] : [value.slice(0, cut), value.slice(cut)];
  return pieces.map((piece) => quotePiece(random, piece)).join("");
}

function quotePiece(random: Random, piece: string): string {
  return random.choose([
    [4, () => `'${piece.replaceAll("'", "'\\''")}'`],
    [4, () => `"${piece.replace(/["\\`$]/g, "\\$&")}"`],
    [1, () => `"${piece.replace(/["]/g, "\\$&")}"`],
    [3, () => piece.replace(/[^\w./-]/g, (character) => (character === "\n" ? "'\n'" : `\\${character}`))],
    [1, () => piece.replace(/./gs, (character) => (character === "\n" ? "'\n'" : `\\${character}`))],
    [2, () => `$'${piece.replace(/['\\]/g, "\\$&").replaceAll("\n", "\\n")}'`],
    [0.5, () => `$'${piece.replace(/[\0-\x7f]/g, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`)}'`],
    [0.5, () => `$"${piece.replace(/["\\`$]/g, "\\$&")}"`],
    [0.5, () => `''${piece.replace(/[^\w./-]/g, "\\$&")}""`],
  ]);
}
