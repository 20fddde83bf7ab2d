import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeProgram } from "../../../src/permissions/programs/describe-program.ts";
import { FILE_PROGRAMS } from "../../../src/permissions/programs/file-programs.ts";
import { type OptionTable, optionRules } from "../../../src/permissions/programs/option-table.ts";
import { SEARCH_PROGRAMS } from "../../../src/permissions/programs/search-programs.ts";
import { SYSTEM_PROGRAMS } from "../../../src/permissions/programs/system-programs.ts";
import { TEXT_PROGRAMS } from "../../../src/permissions/programs/text-programs.ts";
import { tempDir } from "../../support/temp-dir.ts";

const RUN_MS_MAX = 250;

const tables = [...TEXT_PROGRAMS, ...FILE_PROGRAMS, ...SEARCH_PROGRAMS, ...SYSTEM_PROGRAMS].filter(([program, { isImpure }]) => isImpure !== true && program !== "sleep");

/** Programs that what is pure might start. Each leaves a mark when it is. */
const BAIT = ["pr", "gzip", "xz", "bzip2", "zstd", "less", "sh", "cat", "ls", "canary"];

describe("what is called pure changes nothing and starts nothing", () => {
  test.each(tables)("%s", (program, table) => {
    using place = makePlace();
    runEach(place.path, argumentListsOf(table).map((args) => [program, ...args]));
  });

  test("scripts and expressions", () => {
    using place = makePlace();
    runEach(place.path, [
      ["sed", "-n", "1{p;=;l};$!N;P;D", "a"],
      ["sed", "s/[a-z]*/&&/g;y/abc/xyz/;/x/,+1d", "a", "b"],
      ["sed", "-e", "1i\\", "-e", "w out", "a"],
      ["sed", "a w out; e canary", "a"],
      ["awk", "{ print $1 \" > \" $2; if ($1 > 2) x = $1 / 2 }", "a"],
      ["awk", "/>|@/ { print \"|\" }", "a"],
      ["find", ".", "-type", "f", "-printf", "%p w out\n"],
      ["find", ".", "-name", "*", "-ls"],
      ["xxd", "-l", "2", "a"],
      ["jq", "-R", ".", "a"],
      ["date", "+%s"],
      ["printf", "%s > out", "x"],
      ["test", "-f", "a"],
    ]);
  });
});

/** Every option alone, and each after the first with it. */
function argumentListsOf(table: OptionTable): readonly (readonly string[])[] {
  const spellings = [...optionRules(table)].flatMap(([name, { takes, effect }]) => {
    if (effect === "danger" || effect === "write" || effect === "impure") return [];
    if (takes === "nothing") return [[name]];
    const values = effect === "read" ? ["a"] : ["1", "b"];
    return values.flatMap((value) => [[name.startsWith("--") ? `${name}=${value}` : `${name}${value}`], ...(takes === "value" ? [[name, value]] : [])]);
  });
  const operands = table.operands === "none" || table.operands === "data" ? [] : table.operands === "filter" ? ["a"] : ["a", "b"];
  return spellings.filter(([name]) => !/^(-f|-F|--follow.*|--retry)$/.test(name ?? "") || table !== TEXT_PROGRAMS.get("tail")).map((options) => [...options, ...operands]);
}

function makePlace() {
  const dir = tempDir();
  mkdirSync(join(dir.path, "work/sub"), { recursive: true });
  mkdirSync(join(dir.path, "bait"));
  for (const name of ["a", "b", "sub/c"]) writeFileSync(join(dir.path, "work", name), "one two\n3 4\nx > y @ z\n");
  for (const name of BAIT) {
    writeFileSync(join(dir.path, "bait", name), `#!/bin/sh\n: > '${dir.path}/work/started-${name}'\n`);
    chmodSync(join(dir.path, "bait", name), 0o755);
  }
  return dir;
}

function runEach(path: string, commands: readonly (readonly string[])[]): void {
  const cwd = join(path, "work");
  const before = snapshot(cwd);
  for (const [program = "", ...args] of commands) {
    const report = describeProgram(program, args.map((value) => ({ value, prefix: value, isMultiple: false })));
    if (report?.isPure === true) expect([program, ...args, report.writes]).toEqual([program, ...args, []]);
    const executable = Bun.which(program);
    if (report?.isPure !== true || executable === null) continue;
    Bun.spawnSync([executable, ...args], { cwd, env: { PATH: `${path}/bait:/usr/bin:/bin` }, stdin: "ignore", stdout: "ignore", stderr: "ignore", timeout: RUN_MS_MAX });
    expect([program, ...args, snapshot(cwd)]).toEqual([program, ...args, before]);
  }
}

function snapshot(path: string): string {
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .toSorted()
    .map((name) => `${name} ${statSync(join(path, name)).isFile() ? readFileSync(join(path, name), "utf8") : ""}`)
    .join("\n");
}
