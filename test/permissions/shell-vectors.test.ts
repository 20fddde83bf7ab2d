import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PermissionMode, PermissionRule } from "../../src/core/permission.ts";
import { decidePermission } from "../../src/permissions/decide.ts";
import { parsePermissionRule } from "../../src/permissions/parse-rule.ts";
import { commandAccess } from "../support/command-access.ts";
import { tempDir } from "../support/temp-dir.ts";

interface Vector {
  readonly id: string;
  readonly group: string;
  readonly cls: string;
  readonly input: string;
  readonly expected: "ALLOW" | "NO-AUTO-ALLOW" | "DENY" | "DENY/OPAQUE";
  readonly rules: string;
}

const VECTORS: readonly Vector[] = readFileSync(join(import.meta.dir, "../fixtures/shell-vectors.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));

/** What stands behind `rules: "benign"`. */
const BENIGN_RULES = "allow Bash(echo *), Bash(ls *), Bash(cat *), Bash(grep *), Bash(find . -name *), Bash(sed -n p*), Bash(git status *), Bash(git log *), Bash(git diff *), Bash(git show *), deny Bash(canary *)";

function rulesOf(text: string): readonly PermissionRule[] {
  const listed = text === "benign" ? BENIGN_RULES : text;
  return listed.split(", ").map((each) => {
    const behavior = each.startsWith("deny ") ? "deny" : "allow";
    return parsePermissionRule(each.replace(/^(?:allow|deny) /, ""), { behavior, layer: "flag", knownTools: ["Bash"] });
  });
}

async function decide(vector: Vector, mode: PermissionMode) {
  using dir = tempDir();
  const cwd = join(dir.path, "work");
  mkdirSync(join(cwd, "src"), { recursive: true });
  for (const name of ["a.txt", "b.txt", "x"]) writeFileSync(join(cwd, name), "");
  const command = vector.input.replaceAll("@VEC@", dir.path).replaceAll("OUTSIDE.txt", join(dir.path, "outside.txt")).replaceAll("OUTSIDE-", join(dir.path, "outside-"));
  return decidePermission({ tool: "Bash", access: await commandAccess(command), isReadOnly: false, cwd, context: { mode, rules: rulesOf(vector.rules), directories: [cwd] } });
}

const attacks = VECTORS.filter(({ expected }) => expected === "NO-AUTO-ALLOW");
const denials = VECTORS.filter(({ expected }) => expected.startsWith("DENY"));
const benign = VECTORS.filter(({ expected }) => expected === "ALLOW");

test.each(attacks.map((vector) => [vector.id, vector.input, vector] as const))("%s: no allow rule lets %j through, in no mode that asks", async (_id, _input, vector) => {
  for (const mode of ["default", "acceptEdits", "plan", "dontAsk"] as const) expect((await decide(vector, mode)).behavior).not.toBe("allow");
});

test.each(denials.map((vector) => [vector.id, vector.input, vector] as const))("%s: the deny rule holds for %j, in every mode", async (_id, _input, vector) => {
  for (const mode of ["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions"] as const) expect((await decide(vector, mode)).behavior).toBe("deny");
});

test.each(benign.map((vector) => [vector.id, vector.input, vector] as const))("%s: %j is what the rules are for", async (_id, _input, vector) => {
  expect((await decide(vector, "default")).behavior).toBe("allow");
});

test("there are vectors of each kind", () => {
  expect([attacks.length, denials.length, benign.length].every((count) => count >= 16)).toBe(true);
});
