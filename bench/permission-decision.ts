import { mkdirSync } from "node:fs";
import { homedir } from "node:os";
import type { PermissionRule } from "../src/core/permission.ts";
import { commandAccess } from "../src/permissions/command-access.ts";
import { decidePermission } from "../src/permissions/decide.ts";
import { parsePermissionRule } from "../src/permissions/parse-rule.ts";
import type { BenchRow, Measurement } from "./measurement.ts";

const ROUNDS = 60;
const WARM_UP_ROUNDS = 10;

/** Commands as models write them. */
const REALISTIC: readonly string[] = [
  "ls -la",
  "git status",
  "git log --oneline -5",
  "npm test",
  "cat package.json | head -50",
  "cd packages/core && npm run build 2>&1 | tail -20",
  `grep -rn "export function" src --include='*.ts' | sort | uniq -c | sort -rn | head`,
  "find . -name '*.test.ts' -not -path './node_modules/*' -exec grep -l describe {} +",
  "for f in *.md; do echo \"== $f\"; wc -l \"$f\"; done",
  "git add -A && git commit -m \"$(cat <<'EOF'\nFix the parser\n\nIt lost words behind a redirection.\nEOF\n)\"",
  "mkdir -p src/a/b && touch src/a/b/c.ts && echo 'export {};' > src/a/b/c.ts",
  "if [ -f package.json ]; then npm ci; else echo 'no package' >&2; exit 1; fi",
  "timeout 60 npm run e2e -- --grep 'login' || (echo failed; exit 1)",
  "python3 -c 'import json,sys; print(json.load(sys.stdin)[\"version\"])' < package.json",
  "docker compose up -d && sleep 5 && curl -sf http://localhost:8080/health",
  "sed -n '1,80p' src/main.ts",
  "awk -F: '{print $1}' /etc/passwd | sort",
  "NODE_ENV=test bunx vitest run src/lib/*.test.ts --reporter=dot",
  "ps aux | grep node | grep -v grep | awk '{print $2}' | xargs kill",
  "set -euo pipefail\ncd /tmp\nrm -rf build\nmkdir build\ncd build\ncmake .. -DCMAKE_BUILD_TYPE=Release\nmake -j4",
  "cat > notes.txt <<'END'\none\ntwo\nthree\nEND",
  "git diff --stat HEAD~3 -- src test | cat; git stash list",
  "jq -r '.scripts | to_entries[] | \"\\(.key)\\t\\(.value)\"' package.json",
  "while read -r line; do echo \"$line\"; done < list.txt",
  "env LC_ALL=C sort -u names.txt | comm -12 - other.txt",
  "tar czf out.tgz --exclude=node_modules . && ls -lh out.tgz",
  "bash -c 'cd sub && make'",
  "echo \"$HOME\" ~ ${USER:-nobody} $((1 + 2))",
  "function build() { npm run build; }; build && npm run lint",
  "diff <(sort a.txt) <(sort b.txt)",
];

/** Up to a megabyte of what is meant to take long. */
const WORST: Readonly<Record<string, () => string>> = {
  "a word of 1 MB": () => "a".repeat(1_000_000),
  "a list of 1 MB": () => "echo a; ".repeat(125_000),
  "a list of 128 kB": () => "echo a; ".repeat(16_000),
  "a chain of 20,000": () => `${"a && ".repeat(20_000)}a`,
  "a pipeline of 30,000": () => `${"a | ".repeat(30_000)}a`,
  "5,000 nested substitutions": () => `${"$(".repeat(5_000)}a${")".repeat(5_000)}`,
  "60,000 open brackets": () => "(".repeat(60_000),
  "40,000 open braces and quotes": () => "{ \"".repeat(40_000),
  "5,000 nested subshells": () => `${"( ".repeat(5_000)}a${" )".repeat(5_000)}`,
  "3,000 here-documents": () => Array.from({ length: 3_000 }, (_, index) => `cat <<E${index}\ntext\nE${index}\n`).join(""),
  "3,000 here-documents in one line": () => `cat ${"<<E ".repeat(3_000)}\n${"E\n".repeat(3_000)}`,
  "a here-document of 120 kB": () => `cat <<E\n${"text $x `a`\n".repeat(10_000)}E\n`,
  "200 kB of quotes": () => `echo '${"x ".repeat(100_000)}'`,
  "120 kB of quotes": () => `echo "${"x$y ".repeat(30_000)}"`,
  "100,000 words": () => `echo ${"ab ".repeat(100_000)}`,
  "40,000 words": () => `echo ${"a$b ".repeat(30_000)}`,
  "40,000 globs": () => `ls ${"a* ".repeat(40_000)}`,
  "40,000 redirections": () => `a ${">b ".repeat(40_000)}`,
  "20,000 quoted pieces of one word": () => `echo ${"'a'\"b\"".repeat(20_000)}`,
  "120 kB of backslashes": () => `echo ${"\\".repeat(120_000)}`,
  "60,000 joined lines": () => "a \\\n".repeat(60_000),
  "10,000 changes of the directory": () => "cd a; ".repeat(10_000),
  "a find with 5,000 programs": () => `find . ${"-exec a {} \\; ".repeat(5_000)}`,
  "5,000 wrappers": () => `${"env ".repeat(5_000)}a`,
  "120 kB of braces": () => `echo ${"{a,b}".repeat(24_000)}`,
  "invisible characters": () => `echo ${"\u200b".repeat(300_000)}`,
};

/** How long it takes to find out what a command runs and to decide about it. */
export const permissionDecision: Measurement = async ({ directory }) => {
  mkdirSync(directory, { recursive: true });
  const rules = ["allow Bash(npm test:*)", "allow Bash(git log:*)", "allow Bash(ls:*)", "deny Bash(rm -rf:*)", "deny Bash(curl:*)", "deny Read(.env)"].map(ruleOf);
  const msToDecide = async (text: string): Promise<number> => {
    const startedAt = performance.now();
    const access = await commandAccess(text, { home: homedir(), dialect: "bash" });
    decidePermission({ tool: "Bash", access, isReadOnly: false, cwd: directory, context: { mode: "default", rules, directories: [directory] } });
    return performance.now() - startedAt;
  };
  for (let round = 0; round < WARM_UP_ROUNDS; round++) for (const text of REALISTIC) await msToDecide(text);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) for (const text of REALISTIC) times.push(await msToDecide(text));
  times.sort((a, b) => a - b);
  const rows: BenchRow[] = [{ what: `ms in which 99 of 100 of ${times.length} realistic commands are decided`, value: at(times, 0.99), atMost: 5, note: `half of them in ${at(times, 0.5).toFixed(2)}, all in ${at(times, 1).toFixed(2)}` }];
  for (const [name, make] of Object.entries(WORST)) rows.push({ what: `ms to decide ${name}`, value: await msToDecide(make()), atMost: 100 });
  return rows;
};

function ruleOf(text: string): PermissionRule {
  const [behavior, ...rest] = text.split(" ");
  return parsePermissionRule(rest.join(" "), { behavior: behavior === "deny" ? "deny" : "allow", layer: "flag", knownTools: ["Bash", "Read"] });
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
