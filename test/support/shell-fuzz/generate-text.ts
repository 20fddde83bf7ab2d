import { disguise, generateWord, quote } from "./generate-words.ts";
import { CANARIES } from "./names.ts";
import type { Random } from "./random.ts";

/** How deep texts are nested: mostly little, so that there are many in which everything is understood. */
const DEPTHS = [0, 0, 1, 1, 1, 2, 3];

/** A text for a shell. Most of them are ones that a shell understands. */
export function generateText(random: Random): string {
  const writer = new TextWriter(random);
  return writer.list(random.pick(DEPTHS)) + writer.bodies(random.chance(0.9) ? "\n" : "");
}

/** Knows which here-documents still have to be written at the end of the line. */
class TextWriter {
  readonly #random: Random;
  #pending: string[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  /** The here-documents that were announced on this line. */
  bodies(newline = "\n"): string {
    const bodies = this.#pending.join("");
    this.#pending = [];
    return bodies === "" ? "" : newline + bodies.replace(/\n$/, "");
  }

  list(depth: number): string {
    const random = this.#random;
    let text = this.#statement(depth);
    for (let more = random.below(random.chance(0.3) ? 4 : 2); more > 0; more--) {
      const separator = random.pick([" ; ", ";", "\n", "\n", " && ", " || ", " | ", "|", " |& ", " & ", "&&", " &&\n", " # note\n", "\n# it's\n", "\n\n", " ;\n", "; \\\n", " \\\n| "]);
      text += separator.endsWith("\n") && !separator.includes("\\") ? `${separator.slice(0, -1)}${this.bodies()}\n` : separator;
      text += this.#statement(depth);
    }
    return random.chance(0.05) ? `${text}${random.pick([" &", ";", "\n", " # end", " #it's \"", "\\", " \\\n"])}` : text;
  }

  #statement(depth: number): string {
    const random = this.#random;
    if (depth < 0) return this.#simple(0);
    const body = () => this.list(depth - 1);
    const redirection = () => (random.chance(0.2) ? ` ${this.#redirection(depth - 1)}` : "");
    return random.choose([
      [70, () => this.#simple(depth)],
      [3, () => `( ${body()} )${redirection()}`],
      [3, () => `{ ${body()}; }${redirection()}`],
      [2, () => `if ${body()}; then ${body()}; ${random.chance(0.3) ? `elif ${body()}; then ${body()}; ` : ""}${random.chance(0.4) ? `else ${body()}; ` : ""}fi${redirection()}`],
      [1, () => `while ${body()}; do ${body()}; break; done${redirection()}`],
      [1, () => `until ${body()}\ndo ${body()}\nbreak\ndone`],
      [2, () => `for ${random.pick(["x", "y", "PATH", "a1"])} in ${this.#word(depth)} ${this.#word(depth)}; do ${body()}; done${redirection()}`],
      [0.5, () => `for x; do ${body()}; done`],
      [0.3, () => `for ((i=0; i<1; i++)); do ${body()}; done`],
      [0.3, () => `select x in a; do ${body()}; done`],
      [1.5, () => `case ${this.#word(depth)} in ${random.pick(["a", "*", "(a|b", "'x y'", '"$x"', "a*", "[a-c]*"])}) ${body()} ${random.pick([";;", ";;", ";&", ";;&"])} *) ${body()};; esac`],
      [2, () => this.#functionAndCall(depth)],
      [1.5, () => `! ${this.#statement(depth - 1)}`],
      [1.5, () => `time ${random.pick(["", "-p ", "-- ", "! "])}${this.#statement(depth - 1)}`],
      [0.3, () => `coproc ${this.#statement(depth - 1)}`],
      [2.5, () => this.#test(depth)],
      [3, () => this.#move()],
      [2.5, () => this.#builtin(depth)],
    ]);
  }

  #functionAndCall(depth: number): string {
    const random = this.#random;
    const name = random.pick(["f", "g", "canary", "npm", "ls", "cat", "touch", "cd", "echo", "env"]);
    const body = random.chance(0.7) ? `{ ${this.list(depth - 1)}; }` : `( ${this.list(depth - 1)} )`;
    const definition = random.pick([`${name}() ${body}`, `${name} () ${body}`, `function ${name} ${body}`, `function ${name}() ${body}`]);
    const call = `${name} ${random.pick(["", "a", "sub/x"])}`;
    return random.pick([`${definition}; ${call}`, `${definition}\n${call}`, `${call}; ${definition}`, `( ${definition} ); ${call}`, `${definition}; cd sub; ${call}`, `${definition}; unset ${name}; ${call}`, `false && ${definition}; ${call}`, definition]);
  }

  #move(): string {
    const target = this.#random.pick(["sub", "sub", "..", "link", "inlink", "sub/deep", ".git", ".git/hooks", "../outside", "inlink/..", "inlink/../x", "./sub", "none", "$x", "-", "", "~", "empty", "'sub'", "-P sub", "-- sub"]);
    return `${this.#random.pick(["cd", "cd", "cd", "cd", "c'd'", "command cd", "builtin cd", "time cd", "pushd", "! cd", "\\cd", "command -- cd", "builtin command cd", "env cd"])} ${target}`;
  }

  #test(depth: number): string {
    const random = this.#random;
    const word = () => (random.chance(0.2) ? random.pick(["'a[$(canary)]'", "-v", "$x", '"$x"', "$#"]) : this.#word(depth));
    const inside = random.choose([
      [3, () => `${random.pick(["-f", "-n", "-z", "-d", "-v", "-e", "-o", "-t", "!", "-R"])} ${word()}`],
      [3, () => `${word()} ${random.pick(["=", "==", "!=", "-eq", "-lt", "<", ">", "-nt", "=~", "-a", "-o", "\\<"])} ${word()}`],
      [1, word],
      [1, () => `${word()} ${word()}`],
      [1, () => `-n ${word()} ${random.pick(["-a", "-o", "&&", "||"])} -f ${word()}`],
      [0.5, () => `! ${word()} ${random.pick(["=", "-ef"])} ${word()}`],
      [0.5, () => `\\( ${word()} \\)`],
    ]);
    return random.pick([`[ ${inside} ]`, `[ ${inside} ]`, `[[ ${inside} ]]`, `test ${inside}`, `command [ ${inside} ]`, `builtin test ${inside}`, `[${inside}]`]);
  }

  #builtin(depth: number): string {
    const random = this.#random;
    const word = () => (random.chance(0.5) ? random.pick(["'a[$(canary)]'", "x", "y", "$x", '"$x"', "-p 'a[$(canary)]'"]) : this.#word(depth));
    return random.choose([
      [2, () => `printf ${random.pick(["-v ", "", "-- "])}${word()} ${word()}`],
      [2, () => `read ${random.pick(["", "-r ", "-p z ", "-a "])}${word()}${random.pick(["", " <<< a", " < a.txt"])}`],
      [1, () => `set ${random.pick(["-x", "-e", "-u", "-o pipefail", "-f", "-a", "-k", "-- a b", "+x", "-o posix", "-n", "-euo pipefail", "--", "-T"])}`],
      [1, () => `unset ${word()}`],
      [1, () => `export ${random.pick(["x", "x=a", "PATH=.", "LANG=C", "LC_ALL=zh_CN.GBK", "-f f", "-n x", "GIT_SSH=canary"])}`],
      [1, () => `${random.pick(["local", "declare", "typeset", "readonly"])} ${random.pick(["", "-i ", "-x ", "-n "])}${random.pick(["x=a", "x='a[$(canary)]'", "x"])}`],
      [1, () => `${random.pick(["eval", "trap", "source", ".", "let", "alias", "shopt -s", "enable -n", "hash", "type", "command -v", "builtin", "exec", "mapfile -C", "getopts", "umask", "wait", "shift", "exit", "return", "ulimit -c", "pwd", "kill -l", "times", ":", "true"])} ${word()}`],
      [0.5, () => `exec ${this.#redirection(depth - 1)}`],
      [0.5, () => `(( ${random.pick(["1", "x", "a[$(canary)]", "x = 1"])} ))`],
      [0.5, () => `: & wait ${word()}`],
    ]);
  }

  #simple(depth: number): string {
    const random = this.#random;
    const parts: string[] = [];
    while (random.chance(0.1)) parts.push(this.#assignment(depth));
    if (random.chance(0.04)) return parts.length > 0 ? parts.join(" ") : this.#assignment(depth);
    if (random.chance(0.06)) parts.push(this.#redirection(depth));
    if (random.chance(0.12)) parts.push(this.#wrapper(depth));
    parts.push(random.chance(0.2) ? disguise(random, random.pick(["echo", ":", "true", "false"])) : this.#program());
    for (let more = random.below(4); more > 0; more--) {
      parts.push(this.#word(depth));
      if (random.chance(0.12)) parts.push(this.#redirection(depth));
    }
    if (random.chance(0.05)) parts.push(this.#redirection(depth));
    return parts.join(random.chance(0.95) ? " " : random.pick(["  ", "\t", " \\\n", "\\\n", "\u00a0", "\r"]));
  }

  #program(): string {
    const random = this.#random;
    if (random.chance(0.25)) return disguise(random, "canary");
    if (random.chance(0.05)) return random.pick(["./canary", "sub/../canary", "$x", "can*", "{canary,a}", "CANARY", "-canary", "%1", "canary=1", "$(echo canary)", "can\\\nary"]);
    return disguise(random, random.pick(CANARIES)) + (random.chance(0.04) ? " push" : "");
  }

  #word(depth: number): string {
    return generateWord(this.#random, depth, (deeper) => this.list(deeper));
  }

  #assignment(depth: number): string {
    const random = this.#random;
    const name = random.pick(["x", "x", "x", "y", "FOO", "PATH", "IFS", "HOME", "PS4", "RANDOM", "BASH_ENV", "CDPATH", "LANG", "LC_ALL", "GIT_SSH", "a[0]", "x[$(canary)]", "OPTIND", "CI", "NODE_OPTIONS", "GLOBIGNORE"]);
    const value = random.chance(0.5)
      ? random.pick(["", "a", "canary", "'a[$(canary)]'", "'-v a[$(canary)]'", "'$(canary)'", "'; -exec canary'", "'a b'", ".", "sub", "-v", "';'", "..", "$x", "$PATH:.", "C", "zh_CN.GBK", "'. -exec canary ;'", "(a b)", "-exec", ":"])
      : this.#word(depth);
    return `${name}${random.chance(0.95) ? "=" : "+="}${value}`;
  }

  #redirection(depth: number): string {
    const random = this.#random;
    const target = () =>
      random.choose([
        [5, () => random.pick(["new", "sub/new", "/dev/null", "a.txt", ".git/config", "../outside/new", "link/new", "inlink/new", ".env", "1", "2", "-", "/dev/stdout", "/dev/fd/1", "$x", "/dev/tcp/127.0.0.1/9"])],
        [2, () => quote(random, random.pick(["new", "a b", "../outside/new", "&1", "-"]))],
        [2, () => this.#word(depth)],
      ]);
    return random.choose([
      [10, () => `${random.pick(["", "", "", "1", "2", "3", "{x}", "10"])}${random.pick([">", ">", ">>", ">|", "<", "<", "<>", "&>", "&>>", ">&", "<&"])}${random.pick(["", " "])}${target()}`],
      [4, () => random.pick(["2>&1", ">&2", "2>/dev/null", ">/dev/null", "<&-", "2>&-", "3>&1", "1>&2-", "0<&3", "</dev/null"])],
      [2, () => `<<<${random.pick(["", " "])}${this.#word(depth)}`],
      [5, () => this.#hereDocument(depth)],
      [0.5, () => `> >(${this.list(depth - 1)})`],
      [0.5, () => `< <(${this.list(depth - 1)})`],
    ]);
  }

  #hereDocument(depth: number): string {
    const random = this.#random;
    const mark = random.pick(["X", "X", "EOF", "END_1", "a-b", "."]);
    const operator = random.pick(["<<", "<<", "<<-"]);
    const written = random.pick([mark, mark, `'${mark}'`, `"${mark}"`, `\\${mark}`, `${mark.slice(0, 1)}'${mark.slice(1)}'`, `$'${mark}'`]);
    const lines = Array.from({ length: random.below(4) }, () =>
      random.pick(["text", "$x", "$(canary)", "`canary`", "\\$(canary)", "${x:-$(canary)}", "\\`canary\\`", "it's", '"', `\t${mark}`, `${mark} `, ` ${mark}`, `\\${mark}`, "canary", "a \\", "$((1))", "'$(canary)'", '"$(canary)"', "# $(canary)", "", "${x}", `$(${depth > 0 ? "ls" : "cat"} a)`, "$", "\\\\$(canary)"]),
    );
    const indentation = operator === "<<-" && random.chance(0.5) ? "\t" : "";
    this.#pending.push(`${[...lines, mark].map((line) => indentation + line).join("\n")}\n`);
    return `${random.pick(["", "", "", "3"])}${operator}${random.pick(["", "", " "])}${written}`;
  }

  #wrapper(depth: number): string {
    const random = this.#random;
    const word = () => this.#word(Math.min(depth, 1));
    const inner = () => quote(random, this.list(Math.min(depth - 1, 1)));
    return random.choose([
      [2, () => `env ${random.pick(["", "A=b ", "-i ", "-u x ", "-- ", "A=b C=d ", "- ", "-S 'canary' ", "-C sub ", "PATH=. ", "x=$x ", "LC_ALL=C "])}`],
      [2, () => `timeout ${random.pick(["5", "-s KILL 5", "-k 1 5", "--signal=TERM 5", "--foreground 5", "-v 5", "5 --", "--sig TERM 5", "-sKILL 5", "-- 5", "$x"])} `],
      [2, () => `nice ${random.pick(["", "-n 5 ", "-5 ", "--adjustment=5 ", "-n5 ", "--", "-n $x "])}`],
      [1, () => `nohup ${random.pick(["", "-- "])}`],
      [1, () => `stdbuf ${random.pick(["-o0 ", "-oL -eL ", "--output=L ", "-i 0 "])}`],
      [1, () => `setsid ${random.pick(["", "-w ", "-fw ", "--wait "])}`],
      [2, () => `${random.pick(["command", "builtin", "exec", "command --", "command -p", "exec -a x", "builtin command", "exec -c", "\\command"])} `],
      [2, () => `xargs ${random.pick(["", "-0 ", "-n 1 ", "-I{} ", "-I zz ", "-I a ", "-I canary ", "-r ", "-d , ", "-i ", "-a a.txt ", "-L1 ", "--replace=zz ", "-P 2 ", "-t "])}`],
      [1, () => `echo ${word()} | xargs ${random.pick(["", "-I zz ", "-n1 ", "-I{} "])}${random.pick(["", "zz ", "sh -c zz ", "sh -c 'echo zz' ", "env ", "find "])}`],
      [2, () => `find ${random.pick([".", "sub", "a.txt", "$x", '"$x"', "-H sub", ". -name x"])} ${random.pick(["-exec", "-exec", "-execdir", "-ok"])} ${random.pick(["canary", "cat", "touch", "$x", "./{}", "sh -c 'canary {}'", "echo"])} ${random.pick(["{}", "{} new", word(), "a{}"])} ${random.pick(["\\;", "';'", "+", "{} +", ";"])} ${random.pick(["", "-exec ls {} +", `-name ${word()}`, "-exec"])};`],
      [3, () => `${random.pick(["sh", "bash", "dash", "bash --norc", "bash -e"])} ${random.pick(["-c", "-c", "-ec", "-xc", "-lc", "-c --", "-c -e"])} ${inner()} `],
      [0.5, () => `eval ${inner()} ;`],
      [0.5, () => `trap ${inner()} EXIT ;`],
      [1, () => `sudo ${random.pick(["", "-u root ", "-n ", "A=b "])}`],
      [0.5, () => `strace ${random.pick(["", "-f ", "-o '|canary' "])}`],
    ]);
  }
}
