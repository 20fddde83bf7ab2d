import { describe, expect, test } from "bun:test";
import { describeProgram } from "../../../src/permissions/programs/describe-program.ts";
import { describeText, judge, spelled } from "./shell-words.ts";

/** A command, the verdict about it, what it reads, and what it writes. */
type Row = readonly [command: string, verdict: string, reads?: string, writes?: string];

const table = (rows: readonly Row[]) => {
  test.each(rows.map(([command, verdict, reads = "", writes = ""]) => ({ command, verdict, reads, writes })))("$command → $verdict", ({ command, verdict, reads, writes }) => {
    const report = describeText(command);
    expect({ verdict: judge(command), reads: spelled(report?.reads).join(" "), writes: spelled(report?.writes).join(" ") }).toEqual({ verdict, reads, writes });
  });
};

describe("programs that only read", () => {
  table([
    ["true x", "pure"],
    ["echo -- --help", "pure"],
    ["echo 'x; y | z'", "pure"],
    ["echo $x", "pure"],
    ["ls -la src", "pure", "src"],
    ["ls", "pure", "."],
    ["ls -- -x", "pure", "-x"],
    ["ls --color=auto", "pure", "."],
    ["ls --col", "rule", "."],
    ["ls --unknown x", "rule", "x"],
    ["ls $x", "rule", "…"],
    ["ls src/*", "pure", "src/…"],
    ["ls *", "rule", "…"],
    ["ls -- *", "pure", "…"],
    ["ls src/$x", "pure", "src/…"],
    ["ls src/$@", "rule", "src/…"],
    ["cat a.txt b.txt", "pure", "a.txt b.txt"],
    ["head -20 a", "pure", "a"],
    ["head -n5 a", "pure", "a"],
    ["head -n 5 a", "pure", "a"],
    ["head --lines=5 a", "pure", "a"],
    ["head -n $x a", "pure", "a"],
    ["head -n $@ a", "rule", "… a"],
    ["wc -l $x", "rule", "…"],
    ["wc --files0-from=x", "rule"],
    ["md5sum -c sums", "rule", "sums"],
    ["tail -f log", "pure", "log"],
    ["pwd x", "rule"],
    ["base64 -o out in", "pure", "in", "out"],
    ["which node", "pure"],
    ["command -v node", "pure"],
    ["command ls", "danger@0"],
    ["hostname", "pure"],
    ["hostname evil", "danger@0"],
    ["hostname -f", "danger@0"],
    ["date +%s", "pure"],
    ["date '+%Y %m'", "pure"],
    ["date 010203", "danger@0"],
    ["date -s 12:00", "danger@1"],
    ["date --file=/etc/hostname", "pure", "/etc/hostname"],
    ["yes", "rule"],
    ["file a", "pure", "a"],
    ["file -z a", "danger@0", "a"],
    ["file -C -m x", "danger@2"],
    ["tree -R", "danger@0", "."],
    ["diff -u a b", "pure", "a b"],
    ["diff -l a b", "danger@0", "a b"],
    ["strings -8 a", "pure", "a"],
    ["strings @list", "danger@0", "@list"],
    ["strings -n @list", "rule"],
  ]);
});

describe("searching", () => {
  table([
    ["grep x a", "pure", "a"],
    ["grep -e x a", "pure", "a"],
    ["grep -rn x", "pure", "."],
    ["grep -r --include=*.ts x src", "pure", "src"],
    ["grep -f patterns a", "pure", "patterns a"],
    ["grep -C 3 x a", "pure", "a"],
    ["grep -C x a", "rule"],
    ["grep $x a", "rule", "a"],
    ["grep -- $x a", "pure", "a"],
    ["grep -e $x a", "pure", "a"],
    ["grep -- $@ a", "pure", "… a"],
    ["rg x", "pure", "."],
    ["rg x src", "pure", "src"],
    ["rg --pre canary x", "danger@1", "."],
    ["rg --pre=canary x", "danger@0", "."],
    ["rg -z x", "danger@0", "."],
    ["rg --hostname-bin canary x", "danger@1", "."],
    ["find . -name '*.ts' -type f", "pure", "."],
    ["find -name x", "pure", "."],
    ["find src -newer a", "pure", "src a"],
    ["find . -delete", "danger@1", "."],
    ["find . -exec canary {} ';' -print", "danger@2", "."],
    ["find . -ok canary ';'", "danger@2", "."],
    ["find . -fprintf out x", "pure", ".", "out"],
    ["find . -files0-from x", "danger@2", "."],
    ["find . -name $x", "pure", "."],
    ["find . -name *.ts", "danger@2", "."],
    ["find $x", "danger@0", "…"],
    ["find . -unknown", "danger@1", "."],
    ["find src/* -type f", "pure", "src/…"],
  ]);
});

describe("sorting and filters with an output", () => {
  table([
    ["sort -k2,2n -t : a", "pure", "a"],
    ["sort -o out a", "pure", "a", "out"],
    ["sort -oout a", "pure", "a", "out"],
    ["sort -uoout a", "pure", "a", "out"],
    ["sort a --output=out", "pure", "a", "out"],
    ["sort --outp=out a", "danger@0", "a"],
    ["sort --compress-program=canary a", "danger@0", "a"],
    ["sort -T /x a", "danger@1", "a"],
    ["sort $x", "danger@0", "…"],
    ["uniq -c a", "pure", "a"],
    ["uniq a out", "pure", "a", "out"],
    ["uniq a*", "pure", "a…", "a…"],
    ["uniq a -c", "danger@1", "a"],
    ["xxd -l 16 a", "pure", "a"],
    ["xxd a out", "pure", "a", "out"],
    ["xxd -r -p - out", "rule", "-", "out"],
    ["xxd -ps a", "pure", "a"],
    ["xxd -psx a", "danger@0", "a"],
  ]);
});

describe("builtins that evaluate", () => {
  table([
    ["printf '%s %d' a b", "pure"],
    ["printf -v x y", "danger@1"],
    ["printf -vx y", "danger@1"],
    ["printf '%n' PATH", "danger@0"],
    ["printf $x", "danger@0"],
    ["printf '%s' $x", "pure"],
    ["test -f a", "pure", "a"],
    ["[ $x = y ]", "pure"],
    ["[ -v 'a[0]' ]", "danger@1"],
    ["[ -v name ]", "pure"],
    ["[ $x $y ]", "danger@1"],
    ["[ $@ = y ]", "danger@0"],
  ]);
});

describe("programs that are there to write", () => {
  table([
    ["tee out", "pure", "", "out"],
    ["tee -a $x", "rule", "", "…"],
    ["mkdir -p a/b", "pure", "", "a/b"],
    ["touch a", "pure", "", "a"],
    ["cp a b", "pure", "a", "b/a b"],
    ["cp -t dir a b", "pure", "a b", "dir dir/a dir/b"],
    ["cp --target-directory=dir a", "pure", "a", "dir dir/a"],
    ["cp -r evil/. .", "danger@1", "evil/.", "./. ."],
    ["cp -r evil/.git .", "pure", "evil/.git", "./.git ."],
    ["cp x/* dir", "pure", "x/…", "dir/… dir"],
    ["cp --backup a b", "danger@0", "a", "b/a b"],
    ["mv a b", "pure", "a", "a b/a b"],
    ["rm -rf a", "rule", "", "a"],
    ["cp -l a b", "danger@0", "a", "b/a b"],
    ["cp --parents .git/config ..", "danger@0", ".git/config", "../config .."],
    ["ln a b", "rule", "a", "a b/a b"],
    ["ln -s a b", "rule", "a", "b/a b"],
    ["ln -s ../a", "rule", "../a", "./a ."],
    ["chmod +x a", "rule", "", "a"],
    ["chmod -x a", "rule", "", "a"],
    ["truncate -s 0 a", "rule", "", "a"],
    ["split --filter=canary a", "danger@0", "a"],
    ["install -s --strip-program=canary a b", "danger@1", "a", "b/a b"],
  ]);
});

describe("tools", () => {
  table([
    ["tar cf x.tar src", "rule", "src", "x.tar"],
    ["tar -czf x.tar src", "rule", "src", "x.tar"],
    ["tar xzf x.tar", "rule", "x.tar", "."],
    ["tar xf x.tar -C dir", "rule", "x.tar", "dir"],
    ["tar tf x.tar", "rule", "x.tar"],
    ["tar cIf canary x.tar src", "danger@1", "src", "x.tar"],
    ["tar cf x.tar --checkpoint=1 --checkpoint-action=exec=canary src", "danger@3", "src", "x.tar"],
    ["tar cf x.tar --checkpoint-act=exec=canary src", "danger@2", "src", "x.tar"],
    ["tar -cf x.tar -I canary src", "danger@3", "src", "x.tar"],
    ["tar xf x.tar --to-command=canary", "danger@2", "x.tar", "."],
    ["tar cf host:x --rsh-command=canary a", "danger@2", "a", "host:x"],
    ["tar cf x.tar -T list", "danger@3", "", "x.tar"],
    ["make -j4 all", "rule"],
    ["make --eval=x", "danger@0"],
    ["make SHELL=canary", "danger@0"],
    ["make -f other", "danger@1"],
    ["npm test", "rule"],
    ["npm test -- --script-shell=canary", "rule"],
    ["npm test --script-shell=canary", "danger@1"],
    ["npm test -script-shell=canary", "danger@1"],
    ["npm test --script-sh canary", "danger@1"],
    ["npm --prefix /x test", "danger@1"],
    ["curl -o out url", "rule", "", "out"],
    ["curl -sK x", "danger@1"],
    ["wget -O out url", "rule", "", "out"],
    ["wget --use-askpass=canary url", "danger@0"],
    ["ssh -o ProxyCommand=canary host", "danger@1"],
    ["rsync -e canary a b", "danger@1", "a", "b/a b"],
    ["zip -T x a", "danger@0", "", "x a"],
    ["less +!canary a", "danger@0", "+!canary a"],
    ["jq -r '.a' f", "pure", "f"],
    ["jq --arg a b '$a' f", "pure", "f"],
    ["jq -n --slurpfile a data '$a'", "pure", "data"],
    ["jq -f prog f", "rule", "f"],
    ["jq 'import \"a\" as $d; .' f", "rule", "f"],
    ["jq . $x", "rule", "…"],
    ["history", "rule"],
    ["history -w out", "danger@0"],
  ]);
});

test("nothing is known of other programs, nor of one with a path", () => {
  for (const program of ["node", "canary", "/bin/cat", "./cat", "bin/ls", "", "toString", "__proto__", "constructor", "env", "printenv", "ping", "dig", "nslookup", "host"]) {
    expect([program, describeProgram(program, [])]).toEqual([program, undefined]);
  }
});
