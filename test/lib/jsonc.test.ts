import { expect, test } from "bun:test";
import { JsoncError, parseJsonc } from "../../src/lib/jsonc.ts";

test.each([
  ["", undefined],
  ["// nothing\n/* here */", undefined],
  ['{"a": 1, /* b */ "c": [true, null,],}', { a: 1, c: [true, null] }],
  ['\r\n"text"', "text"],
])("%j holds %j", (text, value) => {
  const found = parseJsonc(text).value;
  expect(found === undefined ? undefined : JSON.parse(JSON.stringify(found))).toEqual(value);
});

test.each([
  ["{a: 1}", 1, 2, "this is not a value"],
  ['{\n  "a" 1\n}', 2, 7, "a colon is expected"],
  ['{"a": 1 "b": 2}', 1, 9, "a comma is expected"],
  ['{"a": 1\n', 2, 1, "a closing brace is expected"],
  ['{"a": 1}\n{}', 2, 1, "nothing may follow the end"],
  ['{"a": "x\n}', 1, 7, "this text does not end"],
  ['{}/* x', 1, 3, "this comment does not end"],
  ['{\r\n"a": 1,\r\n"b": {"c": 1, "c": 2}}', 3, 15, 'the key "c" stands twice in one object'],
  ["[".repeat(200_000), 1, 1, "it is nested too deeply"],
])("%.30j is refused at line %d, column %d", (text, line, column, message) => {
  expect(() => parseJsonc(text)).toThrow(new JsoncError(message, { line, column }));
  expect(positionOfError(text)).toEqual({ line, column });
});

test("a value, a missing one and the start have positions", () => {
  const { positionOf } = parseJsonc('{\n  "a": {\n    "b": [1, 22]\n  }\n}');
  expect(positionOf(["a", "b", 1])).toEqual({ line: 3, column: 14 });
  expect(positionOf(["a", "b", 7])).toEqual({ line: 3, column: 10 });
  expect(positionOf(["a", "x", "y"])).toEqual({ line: 2, column: 8 });
  expect(positionOf([])).toEqual({ line: 1, column: 1 });
});

test("the name of the prototype is a key like any other", () => {
  const value = parseJsonc('{"__proto__": {"model": "x"}}').value as Record<string, unknown>;
  expect(Object.keys(value)).toEqual(["__proto__"]);
  expect(value["model"]).toBeUndefined();
});

function positionOfError(text: string): unknown {
  try {
    parseJsonc(text);
  } catch (error) {
    return error instanceof JsoncError ? error.position : error;
  }
  return undefined;
}
