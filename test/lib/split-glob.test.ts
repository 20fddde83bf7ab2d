import { expect, test } from "bun:test";
import { splitGlob } from "../../src/lib/split-glob.ts";

test.each([
  ["**/*.ts", "", "**/*.ts"],
  ["src/app/*.ts", "src/app", "*.ts"],
  ["src/a.ts", "src", "a.ts"],
  ["/opt/x/**", "/opt/x", "**"],
  ["/*.ts", "/", "*.ts"],
  ["../{a,b}/c", "..", "{a,b}/c"],
])("%s starts at %p", (pattern, directory, glob) => {
  expect(splitGlob(pattern)).toEqual({ directory, glob });
});
