import { expect, test } from "bun:test";
import { parseSearchOutput } from "../../src/lib/search-records.ts";

test("lines, gaps and names with line breaks are told apart", () => {
  expect(parseSearchOutput("./a\x001:x\n--\n./b\nc:2:\x003-y\n")).toEqual([
    { type: "line", path: "./a", text: "1:x" },
    { type: "gap" },
    { type: "line", path: "./b\nc:2:", text: "3-y" },
  ]);
});

test("remarks about binary files and a last line that was cut off are left out", () => {
  const output = './bin: binary file matches (found "\\0" byte around offset 3)\n./a\x001:x\n./late: WARNING: stopped searching binary file after match\n./b\x001:cut';
  expect(parseSearchOutput(output)).toEqual([{ type: "line", path: "./a", text: "1:x" }]);
});
