import { expect, test } from "bun:test";
import { readSources } from "../support/source-tree.ts";

test("state files are written through checked descriptors alone (V-210)", () => {
  const sources = readSources(["src"]).filter(({ path }) => path.startsWith("src/store/") || path.startsWith("src/platform/"));
  expect(sources.length).toBeGreaterThan(20);
  const forbidden = /\b(Bun\.write|Bun\.file\([^)]*\)\.writer|writeFile(Sync)?|appendFile(Sync)?|createWriteStream)\b/;
  expect(sources.filter(({ text }) => forbidden.test(text)).map(({ path }) => path)).toEqual([]);
});
