import { expect, test } from "bun:test";
import { analyzeCommand } from "../../../src/permissions/shell/analyze-command.ts";
import { shownAnalysis } from "../../support/shown-analysis.ts";

type Cases = readonly (readonly [text: string, shown: readonly string[]])[];

async function shown(text: string): Promise<readonly string[]> {
  return shownAnalysis(await analyzeCommand(text, { home: "/home/u", dialect: "bash" }));
}

const WORDS: Cases = [
  ["echo a \"b c\" 'd e' f\\ g", ["echo a \"b c\" \"d e\" \"f g\""]],
  ["echo 'it'\\''s' \"a\\\"b\" $'x\\ty' ''", ["echo \"it's\" \"a\\\"b\" \"x\\ty\" \"\""]],
  ["c'a'n\"a\"ry ''\\x", ["canary x"]],
  ["'str'\\a\\c\\e x", ["strace x", "  x"]],
  ["echo $x \"$y\" \"a$z\" b$z", ["echo <…*> <…> <a…> <b…*>"]],
  ["echo *.txt sub/* .e* */x [ab]", ["echo <…glob> <sub/…glob> <.e…glob> <…*> <…glob>"]],
  ["ls {a,b} x{1..3}y {a} \"{a,b}\"", ["ls <…*> <…*> \"{a}\" \"{a,b}\"", "opaque: it has a part that is not known (\"brace_expression\")"]],
  ["echo ~ ~/a a~ \"~\" ~root", ["echo /home/u /home/u/a \"a~\" \"~\" <…>"]],
  ["echo ${x:-a} \"${x#b}\" $((1+2)) $# $?", ["echo <…*> <…> <…*> <…*> <…*>"]],
  ["echo $(date) \"`id`\" <(ls)", ["echo <…*> <…> <…>", "date", "id", "ls"]],
  ["echo a#b # c", ["echo \"a#b\""]],
  ["echo a\\\nb", ["echo ab"]],
];

test.each(WORDS)("words are what a program gets of them: %j", async (text, expected) => {
  expect(await shown(text)).toEqual(expected);
});

const OPAQUE_WORDS: Cases = [
  ["echo ${x@P}", ["echo <…*>", "opaque: the expansion \"${x@P}\" can run commands"]],
  ["echo ${!x}", ["echo <…*>", "opaque: the expansion \"${!x}\" can run commands"]],
  ["echo ${x:-$(id)}", ["echo <…*>", "id", "opaque: the expansion \"${x:-$(id)}\" can run commands"]],
  ["echo $((x))", ["echo <…*>", "opaque: the arithmetic \"$((x))\" can run commands"]],
  ["echo $\"a\"", ["echo a", "opaque: a part of a command was not understood"]],
  ["echo $'\\u0041'", ["echo <…*>", "opaque: a quoted word has unusual escapes"]],
  ["echo `echo \\`id\\``", ["echo <…*>", "echo \"`id`\"", "opaque: there are escapes within backquotes"]],
  ["$x a", ["<…*> a", "opaque: the name of a program is computed"]],
  ["can* a", ["<can…glob> a", "opaque: the name of a program is computed"]],
  ["{a,b} c", ["opaque: it is too large or is not understood"]],
  ["echo a\u00a0b", ["echo <…*>", "opaque: it holds invisible characters"]],
  ["echo a\rid", ["echo a id", "opaque: it holds control characters"]],
  ["a $'\\\\' ;\nb $'c'", ["opaque: it is too large or is not understood"]],
];

test.each(OPAQUE_WORDS)("what the shell may do anything with is opaque: %j", async (text, expected) => {
  expect(await shown(text)).toEqual(expected);
});

const LISTS: Cases = [
  ["a; b && c || d | e |& f & g\nh", ["a", "b", "c", "d", "e", "f", "g", "h"]],
  ["! a", ["a"]],
  ["(a; b)", ["a", "b"]],
  ["{ a; }", ["a"]],
  ["if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]],
  ["while a; do b; done; until c; do d; done", ["a", "b", "c", "d"]],
  ["for x in $(a) b; do c; done", ["a", "c"]],
  ["case $(a) in x) b;; *) c;; esac", ["a", "b", "c"]],
  ["a $(b $(c) \"$(d)\")", ["a <…*>", "b <…*> <…>", "c", "d"]],
];

test.each(LISTS)("every command of a list or block is seen: %j", async (text, expected) => {
  expect(await shown(text)).toEqual(expected);
});

const REDIRECTIONS: Cases = [
  ["a > b c 2>&1 < d >> e", ["a c >b <d >e"]],
  ["> a b", ["b >a"]],
  ["a &> b; c >| d; e <> f", ["opaque: it is too large or is not understood"]],
  ["a 2>&- b >&-", ["a b"]],
  ["! a > b c", ["a c >b"]],
  ["a && b > c", ["a", "b >c"]],
  ["cd a && b > c", ["cd a", "b >c @ . a"]],
  ["{ a; } > b", [">b", "a"]],
  ["a >'b'\\c", ["a >bc"]],
  ["a > $x", ["a", "opaque: the target of a redirection is not certain"]],
  ["a > *", ["a", "opaque: the target of a redirection is not certain"]],
  ["a {x}> b", ["a \"{x}\" >b", "opaque: a redirection was not understood"]],
  ["a >& -b", ["a >-b", "opaque: a redirection was not understood"]],
  ["a <& -''", ["a", "opaque: a redirection was not understood"]],
  ["a -o1> b", ["a >b", "opaque: a redirection was not understood"]],
  ["a >&'$(b)'", ["a", "opaque: a redirection is expanded twice"]],
  ["a >& b", ["a >b"]],
  ["a > /dev/tcp/h/1", ["a", "opaque: it opens a connection"]],
  ["3>&1 a 0<&3 'b'", ["a 0 b", "opaque: a redirection was not understood"]],
];

test.each(REDIRECTIONS)("redirections belong to the command whose they are, and words behind them too: %j", async (text, expected) => {
  expect(await shown(text)).toEqual(expected);
});

const HERE_DOCUMENTS: Cases = [
  ["cat <<X\n$(a) $b\nX\nc", ["cat <<", "a", "c"]],
  ["cat <<'X'\n$(a)\nX", ["cat <<"]],
  ["cat <<X && b\ntext\nX", ["cat <<", "b"]],
  ["cat <<X > b c\ntext\nX", ["cat c << >b"]],
  ["cat <<-X\n\ttext\n\tX\nb", ["cat <<", "b"]],
  ["cat <<<\"$(a)\"", ["cat <<", "a"]],
  ["cat <<a-b\nx\na-b", ["cat <<", "opaque: the mark of a here-document is unusual"]],
  ["cat <<X\ntext", ["opaque: it is too large or is not understood"]],
  ["cat <<'X'a\n$(b)\nX", ["cat a <<", "opaque: the mark of a here-document is unusual"]],
  ["a && cat - <<X\nb\nX", ["a", "cat - <<"]],
];

test.each(HERE_DOCUMENTS)("here-documents are data, but for what is substituted: %j", async (text, expected) => {
  expect(await shown(text)).toEqual(expected);
});

const PLACES: Cases = [
  ["cd a; b", ["cd a", "b @ . a"]],
  ["cd a && cd b; c", ["cd a", "cd b @ . a", "c @ . a b a/b"]],
  ["cd /a; b; cd ..; c", ["cd /a", "b @ . /a", "cd .. @ . /a", "c @ . /a .. / /a/.."]],
  ["command cd a; b", ["command cd a", "  cd a", "b @ . a"]],
  ["time cd a; b", ["time cd a", "  cd a", "b @ . a"]],
  ["cd link/..; a", ["cd link/..", "a @ . ./link/.."]],
  ["cd $x; a", ["cd <…*>", "a", "opaque: it cannot be told into which directory it changes"]],
  ["cd -; a", ["cd -", "a", "opaque: it cannot be told into which directory it changes"]],
  ["for x in a; do cd b; done", ["cd b", "opaque: it changes the directory in a loop or a function"]],
  ["f() { a; }; cd b; f", ["a", "cd b", "f @ . b", "functions: f", "opaque: a function may run in a directory to which it changes later"]],
  ["cd b; f() { a; }; f", ["cd b", "a @ . b", "f @ . b", "functions: f"]],
  ["cd a; bash -c 'timeout 5 b'", ["cd a", "bash -c \"timeout 5 b\" @ . a", "  timeout 5 b @ . a", "    b @ . a"]],
];

test.each(PLACES)("after a change of the directory there are several places: %j", async (text, expected) => {
  expect(await shown(text)).toEqual(expected);
});

const FUNCTIONS: Cases = [
  ["f() { a; }; f", ["a", "f", "functions: f"]],
  ["f; f() { a; }", ["f", "a"]],
  ["(f() { a; }); f", ["a", "f"]],
  ["a && f() { b; }; f", ["a", "b", "f"]],
  ["f() { a; } & f", ["a", "f"]],
  ["f() { a; }; unset f; f", ["a", "unset f", "f", "functions: f", "opaque: it removes a function"]],
];

test.each(FUNCTIONS)("only functions that are certainly defined are told: %j", async (text, expected) => {
  expect(await shown(text)).toEqual(expected);
});

const VARIABLES: Cases = [
  ["x=a; y=$(b)", ["x=a", "y=<…*>", "b"]],
  ["A=b c", ["A=b c"]],
  ["x[0]=a", ["x[0]=a", "opaque: it sets a variable in a way that can run commands"]],
  ["x=(a b)", ["x=<…*>", "opaque: it has a part that is not known (\"array\")"]],
  ["PS4='$(a)'; b", ["PS4=\"$(a)\"", "b", "opaque: setting \"PS4\" can change what the shell runs"]],
  ["RANDOM='a[$(b)]'", ["RANDOM=\"a[$(b)]\"", "opaque: setting \"RANDOM\" can change what the shell runs"]],
  ["HOME=/a; b ~/c", ["HOME=/a", "b /home/u/c", "opaque: setting \"HOME\" can change what the shell runs"]],
  ["LC_ALL=C.UTF-8 a", ["LC_ALL=C.UTF-8 a"]],
  ["LC_ALL=zh_TW.Big5 a", ["LC_ALL=zh_TW.Big5 a", "opaque: setting \"LC_ALL\" can change what the shell runs"]],
  ["BASH_ENV=a bash -c b", ["BASH_ENV=a bash -c b", "  b", "opaque: setting \"BASH_ENV\" can change what the shell runs"]],
];

test.each(VARIABLES)("variables that mean something to the shell itself are opaque: %j", async (text, expected) => {
  expect(await shown(text)).toEqual(expected);
});

const BUILTINS: Cases = [
  ["[ -f \"$x\" ] && a", ["a"]],
  ["[ \"$x\" = a -a $# -gt 1 ]", []],
  ["[ $x = a ]", ["opaque: a test can run commands"]],
  ["[ -v 'a[$(b)]' ]", ["opaque: the test \"-v\" is not known to run nothing"]],
  ["test \"$x\" \"$y\"", ["test <…> <…>", "opaque: \"test\" can change what the shell runs"]],
  ["[[ -n $x && $y == a* ]]", []],
  ["[[ $x -eq 1 ]]", ["opaque: the test \"-eq\" is not known to run nothing"]],
  ["wait $!", ["wait <…*>"]],
  ["wait $x", ["wait <…*>", "opaque: \"wait\" can change what the shell runs"]],
  ["read -r x", ["read -r x"]],
  ["read 'a[$(b)]'", ["read \"a[$(b)]\"", "opaque: \"read\" can change what the shell runs"]],
  ["printf -v x a", ["printf -v x a", "opaque: \"printf\" can change what the shell runs"]],
  ["eval a", ["eval a", "opaque: \"eval\" can change what the shell runs"]],
  ["trap a EXIT", ["trap a EXIT", "opaque: \"trap\" can change what the shell runs"]],
  ["exec > a", ["exec >a", "  opaque: \"exec\" may start a shell", "opaque: \"exec\" redirects everything that follows"]],
  ["set -euo pipefail", ["set -euo pipefail"]],
  ["set -k", ["set -k", "opaque: \"set\" can change what the shell runs"]],
];

test.each(BUILTINS)("builtins that evaluate what they get are opaque: %j", async (text, expected) => {
  expect(await shown(text)).toEqual(expected);
});

const WRAPPERS: Cases = [
  ["timeout -s KILL 5 a b", ["timeout -s KILL 5 a b", "  a b"]],
  ["nice -n 5 nohup a", ["nice -n 5 nohup a", "  nohup a", "    a"]],
  ["env A=b c d", ["env A=b c d", "  A=b c d"]],
  ["env -S 'a b'", ["env -S \"a b\"", "  opaque: the option \"-S\" of \"env\" can start something"]],
  ["env -u A b", ["env -u A b", "  opaque: the option \"-u\" of \"env\" can start something"]],
  ["command -p a", ["command -p a", "  opaque: the option \"-p\" of \"command\" can start something"]],
  ["time -p a", ["time -p a", "  a"]],
  ["xargs a b", ["xargs a b", "  a b <…*>"]],
  ["xargs -I zz a zz \"b zz\"", ["xargs -I zz a zz \"b zz\"", "  a <…> <b …> <…*>"]],
  ["xargs --replace a {}", ["xargs --replace a \"{}\"", "  a <…> <…*>"]],
  ["xargs", ["xargs", "  echo <…*>"]],
  ["find . -name x -exec a {} \\; -exec b {} +", ["find . -name x -exec a \"{}\" \";\" -exec b \"{}\" +", "  find . -name x", "  a <…*>", "  b <…*>"]],
  ["find . -execdir a \\;", ["find . -execdir a \";\"", "  opaque: \"find\" starts what its arguments say"]],
  ["find $x -name a", ["find <…*> -name a", "  opaque: \"find\" starts what its arguments say"]],
  ["find \"$x\"", ["find <…>", "  opaque: \"find\" starts what its arguments say"]],
  ["bash -c 'cd a; b' c", ["bash -c \"cd a; b\" c", "  cd a", "  b @ . a"]],
  ["cd a; sh -c b", ["cd a", "sh -c b @ . a", "  b @ . a"]],
  ["sh -c 'a |& b'", ["sh -c \"a |& b\"", "  a", "  b", "  opaque: it uses syntax of bash in a shell that may be another"]],
  ["bash a", ["bash a", "  opaque: \"bash\" runs commands that are not written here"]],
  ["bash -c \"$x\"", ["bash -c <…>", "  opaque: \"bash\" runs commands that are not written here"]],
  ["sudo -u a b", ["sudo -u a b", "  b"]],
  ["sudo", ["sudo", "  opaque: \"sudo\" may start a shell"]],
  ["strace -o '|a' b", ["strace -o \"|a\" b", "  opaque: the option \"-o\" of \"strace\" can start something"]],
  ["git -c a.b=c d", ["git -c a.b=c d", "  opaque: an option of git can make it run something"]],
  ["git bisect run a", ["git bisect run a", "  a"]],
  ["sh -c 'sh -c \"sh -c a\"'", ["sh -c \"sh -c \\\"sh -c a\\\"\"", "  sh -c \"sh -c a\"", "    sh -c a", "      a"]],
];

test.each(WRAPPERS)("what a command starts in its turn is seen: %j", async (text, expected) => {
  expect(await shown(text)).toEqual(expected);
});

test("continued lines are joined where a backslash can mean nothing else", async () => {
  expect(await shown("a \\\n b; e\\\nf")).toEqual(["a b", "ef"]);
  expect(await shown("a '\\\n'")).toEqual(['a "\\\\\\n"', "opaque: lines are joined where a quote or a comment may stand"]);
});

test("in a shell that may be another, what only bash knows is opaque", async () => {
  const inSh = async (text: string) => (await analyzeCommand(text, { home: "/home/u", dialect: "sh" })).opaque !== undefined;
  for (const text of ["a |& b", "a &> b", "a <<<b", "a <(b)", "[[ a ]]", "a $'b'", "[ $# -eq 1 ]", "a 10> b"]) expect([text, await inSh(text)]).toEqual([text, true]);
  for (const text of ["a | b", "a > b 2>&1", "[ -f a ] && b", "a 'b' \"c\""]) expect([text, await inSh(text)]).toEqual([text, false]);
});

test("texts that take too long are opaque", async () => {
  for (const text of ["$(".repeat(5_000) + "a" + ")".repeat(5_000), "a; ".repeat(60_000), "x".repeat(200_000)]) {
    expect((await analyzeCommand(text, { home: "/home/u", dialect: "bash" })).opaque).toBeDefined();
  }
});
