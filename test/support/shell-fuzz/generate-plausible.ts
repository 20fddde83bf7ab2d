import { quote } from "./generate-words.ts";
import { READERS, WRITERS } from "./names.ts";
import type { Random } from "./random.ts";

const PATHS = ["a.txt", "b.txt", "new", "sub", "sub/x", "sub/new", "sub/deep", "x", "y", "config", "hooks/x", "inlink/y", "inlink/../x", "link/s", "link/new", "../outside/new", "../x", "../a.txt", ".git/config", ".git", "empty/new", ".", "..", "../..", "deep/y", "~/a.txt", "~/sub", ".env", "$x", '"$x"', "*.txt", "sub/*", "link/*", "inlink/../*", "empty/n*", "*", "../*", ".git/*", "{a,b}.txt", "sub/{x,../../outside/new}", "-n", "/dev/null"];
const MOVES = ["sub", "sub/deep", "..", "inlink", "inlink/..", ".git", ".git/hooks", "link", ".", "../work", "deep", "./sub/..", "inlink/../../x", "empty", "none", "~", "~/sub"];

/** A text of commands that a permission mode may allow: what is wrong with one is only where it reads or writes. */
export function generatePlausible(random: Random, depth = random.pick([0, 1, 1, 2])): string {
  const parts = Array.from({ length: 1 + random.below(3) }, () => statement(random, depth));
  return parts.join(random.pick([" && ", " && ", "; ", "\n", " | ", " || "]));
}

function statement(random: Random, depth: number): string {
  if (depth === 0) return command(random);
  const text = () => generatePlausible(random, depth - 1);
  return random.choose([
    [6, () => command(random)],
    [4, () => `${random.pick(["cd", "cd", "cd", "command cd", "time cd", "! cd"])} ${random.chance(0.8) ? random.pick(MOVES) : quote(random, random.pick(MOVES))}`],
    [1, () => `(${text()})`],
    [1, () => `{ ${text()}; } > ${path(random)}`],
    [1, () => `if ${command(random)}; then ${text()}; fi`],
    [1, () => `for x in ${path(random)} ${path(random)}; do ${text()}; done`],
    [0.5, () => `while ${command(random)}; do ${text()}; break; done`],
    [1, () => `f() { ${text()}; }${random.pick(["; f", "\ncd sub; f", ""])}`],
    [0.5, () => `x=${random.chance(0.5) ? path(random) : `$(${text()})`}`],
    [0.5, () => `cat <<X > ${path(random)} && ${command(random)}\ntext $x\nX`],
    [0.5, () => `${random.pick(["sh", "bash"])} -c ${quote(random, text())}`],
    [0.5, () => `find ${path(random)} ${random.pick(["-exec", "-execdir"])} ${random.pick(["cat", "touch", "cp ../a.txt"])} ${random.pick(["{}", "config", "new"])} \\;`],
    [0.5, () => `${random.pick(["timeout 5", "env", "nice", "nohup", "xargs", "xargs -I{}", "env LC_ALL=C", "stdbuf -oL"])} ${command(random)}`],
  ]);
}

function command(random: Random): string {
  const words = [random.pick([...READERS, ...WRITERS, "touch", "mkdir", "echo", "true", ":"])];
  for (let more = random.below(3); more > 0; more--) words.push(path(random));
  const redirection = () => `${random.pick([">", ">", ">>", "2>", "<", "&>", ">|"])}${random.pick(["", " "])}${path(random)}`;
  if (random.chance(0.25)) words.push(redirection());
  if (random.chance(0.1)) words.unshift(redirection());
  return words.join(" ");
}

function path(random: Random): string {
  return random.chance(0.85) ? random.pick(PATHS) : quote(random, random.pick(PATHS));
}
