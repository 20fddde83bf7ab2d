import { expect, test } from "bun:test";
import { memberPointer, pathOfPointer } from "../../src/lib/json-pointer.ts";

test("what has a meaning in a pointer is written in another way, and read back", () => {
  const pointer = memberPointer(memberPointer(memberPointer("", "a/b"), 1), "~1");
  expect(pointer).toBe("/a~1b/1/~01");
  expect(pathOfPointer(pointer, { "a/b": [0, { "~1": 2 }] })).toEqual(["a/b", 1, "~1"]);
});

test("a path may lead further than the value", () => {
  expect(pathOfPointer("/a/b", {})).toEqual(["a", "b"]);
  expect(pathOfPointer("", {})).toEqual([]);
});
