import { describe, expect, test } from "bun:test";
import { describeProgram } from "../../../src/permissions/programs/describe-program.ts";
import { findAwkObstacle } from "../../../src/permissions/programs/awk-program.ts";
import { findSedObstacle } from "../../../src/permissions/programs/sed-script.ts";
import { judge, shellWords, spelled } from "./shell-words.ts";

describe("scripts of sed that only change the text", () => {
  test.each([
    "p", "$p", "1,5p", "1~2d", "/a/,/b/d", "/a/,+3p", "\\%a/b%d", "0,/x/d", "/a/Id", "/a/!d", "1!G;h;$!d", "$!N;P;D", "s/a/b/", "s/a/b/g", "s/a/b/2gp", "s|a/b|c|I", "s/[a-z]*/x/",
    "s/[[:space:]]\\+$//", "s/\\//x/", "s/a/\\n/", "s/a/\\\nb/", "s/a/&&/;s/b/c/", "y/abc/xyz/", "/x/{s/a/b/;p}", "/x/{p;p;}", ":a;N;$!ba;s/\\n/ /g", "a hello; w x", "1i\\\nfirst", "1i\\first",
    "q", "5q", "$=", "# comment\np", "", "s/^ *//; s/ *$//",
  ])("%j", (script) => {
    expect(findSedObstacle(script)).toBeUndefined();
  });
});

describe("scripts of sed that are not proven", () => {
  test.each([
    "w out", "1w out", "$!w out", "W out", "r /etc/shadow", "R x", "e", "1e canary", "e canary", "s/a/b/w out", "s/a/b/gw out", "s/a/b/e", "s/a/b/ge", "s/x*/y/w OUT", "p;w out", "p\nw out", "{w out", "{p};w out",
    "/a/w out", "\\%a%w out", "/[/]/w out", "s/[/]/x/w out", "s/[/]/w out", "s/[\\]/]/w x/", "y/a/b/;w out", "y/a/b/w", "a\\\\\\\nw out", "a foo\nw out", "a\\\nfoo\nw out", ":a\nw out", "ba;w out", "b a\nw out",
    "s\na\nb\nw out", "saxbxw out", "s\\a\\b\\", "0~3w out", "1,3{w out", "#n\nw out", "#\nw out", "!w out", "v;w out", "F;e canary", "l 5;w out", "q5;w out", "}w out", "}\nw out", "M", "f out", "s/a/b/\nw out",
    "s/a\\/b/w out", "s/\\[/]/w out", "x;s/\\(a/]/w out",
  ])("%j", (script) => {
    expect(findSedObstacle(script)).toBeDefined();
  });
});

test.each([
  ["sed -n 1,5p a", "pure", "a", ""],
  ["sed -n -e 1p -e '$p' a", "pure", "a", ""],
  ["sed -e 'a\\' -e 'w out' a", "pure", "a", ""],
  ["sed s/a/b/ $x", "danger@1", "…", ""],
  ["sed -n $x a", "danger@1", "a", ""],
  ["sed -f script a", "danger@2", "", ""],
  ["sed -i s/a/b/ a b", "pure", "a b", "a b"],
  ["sed -i.bak s/a/b/ a", "pure", "a", "a a.bak"],
  ["sed -ni s/a/b/ README.md", "pure", "README.md", "README.md"],
  ["sed -i'/../OUT-*' s/a/b/ a", "danger@0", "a", "a"],
  ["sed --in-place=x/y s/a/b/ a", "danger@0", "a", "a"],
  ["sed -i '' 'w /etc/x' a", "pure", "w /etc/x a", "w /etc/x a /etc/x"],
  ["sed 'w /etc/x' -e p", "pure", "w /etc/x", "/etc/x"],
  ["sed --expr=p a", "danger@1", "", ""],
])("%s → %s", (command, verdict, reads, writes) => {
  const [program, ...args] = shellWords(command);
  const report = describeProgram(program?.value ?? "", args);
  expect([judge(command), spelled(report?.reads).join(" "), spelled(report?.writes).join(" ")]).toEqual([verdict, reads, writes]);
});

describe("programs of awk that only print", () => {
  test.each([
    "{print $1}", "$3 > 5 {print $1, $2}", "NR==1", "/a|b/ {n++} END {print n}", "BEGIN{FS=\":\"} {printf \"%s\\n\", $1}", "{ print $1 \"|\" $2 }", "$1 ~ /^x/ || $2 >= 3", "{a[$1]+=$2} END {for (k in a) print k, a[k]/2}",
    "!seen[$0]++", "length($0) > 80", "{ print \"a > b\" }", "/@/ { print }", "{ x = $1 / 2; if (x > 3) print x }", "{ gsub(/>/, \"\"); print }",
  ])("%j", (program) => {
    expect(findAwkObstacle(program)).toBeUndefined();
  });
});

describe("programs of awk that are not proven", () => {
  test.each([
    "BEGIN{print 1 > \"out\"}", "{print >> \"out\"}", "{print | \"canary\"}", "BEGIN{system(\"canary\")}", "BEGIN{\"canary\" | getline}", "BEGIN{while ((getline l < \"/etc/shadow\") > 0) print l}", "BEGIN { f=\"system\"; @f(\"canary\") }",
    "@include \"x\"", "BEGIN{ARGV[1]=\"/etc/shadow\";ARGC=2}", "BEGIN{for(k in ENVIRON)print ENVIRON[k]}", "BEGIN{print 1,\n2 > \"out\"}", "BEGIN{print(1) > \"out\"}", "BEGIN{printf(\"x\") > \"out\"}", "{ if (x) /\"/; print 1 > \"out\" #\"\n}",
    "{ print \"\\\"\" > \"out\" }", "BEGIN{print \"a\" |& \"canary\"}", "BEGIN{sys\\\ntem(\"canary\")}", "BEGIN { x++ /\"/; print 1 > \"out\" #\" }", "{ print /[/\"]/; print 1 > \"out\" #\"]/ }", "BEGIN{awk::system(\"x\")}", "{ print length /\"/ > \"out\" #\" }",
    "{ $/\"/; print 1 > \"out\" #\"/\n}", "{ print ;print > \"o\" }", "{ print (1)\n> \"o\" }",
  ])("%j", (program) => {
    expect(findAwkObstacle(program)).toBeDefined();
  });
});

test.each([
  ["awk '{print $1}' a x=1", "pure", "a"],
  ["awk -F: '{print $1}' a", "pure", "a"],
  ["awk -F '|' -v n=$x '{print n}' a", "pure", "a"],
  ["awk -f prog a", "danger@0", "a"],
  ["awk '{print}' -f prog", "pure", "-f prog"],
  ["awk $x a", "danger@0", "a"],
  ["gawk -i inplace '{print}' a", "danger@0", "{print} a"],
  ["gawk '{print}' /inet/tcp/0/evil/80", "danger@1", "/inet/tcp/0/evil/80"],
  ["mawk -W exec x", "danger@0", "x"],
])("%s → %s", (command, verdict, reads) => {
  const [program, ...args] = shellWords(command);
  expect([judge(command), spelled(describeProgram(program?.value ?? "", args)?.reads).join(" ")]).toEqual([verdict, reads]);
});
