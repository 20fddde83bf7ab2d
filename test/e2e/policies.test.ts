import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../support/source-tree.ts";
import { agentUser } from "../support/spawn-agent.ts";

const README = readFileSync(join(ROOT, "README.md"), "utf8");
const POLICIES = [...README.matchAll(/^\*\*(\d+\. .+)\*\*\n\n```jsonc\n([\s\S]*?)^```\n\n```text\n([\s\S]*?)^```$/gm)].map(([, title = "", rules = "", cases = ""]) => {
  const lines = cases.trimEnd().split("\n").map((line) => /^(allow|ask|deny)\s+(.*)$/.exec(line));
  return { title, rules, cases: lines.map((match) => ({ expect: match?.[1], call: match?.[2] })) };
});

test("README.md shows ten policies", () => {
  expect(POLICIES.map(({ title }) => title.split(".")[0])).toEqual(["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"]);
  expect(POLICIES.every(({ cases }) => cases.length >= 4 && cases.every(({ call }) => call !== undefined))).toBe(true);
});

test.each(POLICIES.map((policy) => [policy.title, policy] as const))("the policy %s does what README.md says", async (_title, { rules, cases }) => {
  using user = agentUser();
  for (const folder of ["src", "docs", "secrets"]) mkdirSync(join(user.project, folder));
  writeFileSync(join(user.project, "policy.jsonc"), rules);
  writeFileSync(join(user.project, "cases.jsonc"), JSON.stringify(cases));
  const ended = await user.run(["permissions", "check", "--rules", "policy.jsonc", "--cases", "cases.jsonc"]);
  expect(ended.stdout).toBe(`${cases.length} of ${cases.length} cases as expected\n`);
  expect([ended.stderr, ended.exitCode]).toEqual(["", 0]);
});
