import { describe, expect, test } from "bun:test";
import { appendJsonc, editJsonc } from "../../src/lib/edit-jsonc.ts";
import { parseJsonc } from "../../src/lib/jsonc.ts";

const TEXT = `// of the team
{
    // the cheap one
    "model": "haiku", // for now
    "permissions": { "deny": ["Bash(rm:*)"] }
    // the end, so far
}
`;

describe("setting a value", () => {
  test("replaces it and nothing around it", () => {
    expect(editJsonc(TEXT, ["model"], "opus")).toBe(TEXT.replace('"haiku"', '"opus"'));
    expect(editJsonc(TEXT, ["permissions", "deny"], ["Bash"])).toBe(TEXT.replace('["Bash(rm:*)"]', '[\n        "Bash"\n    ]'));
  });

  test("adds it at the end, behind the comments that stand there, indented as the others", () => {
    expect(editJsonc(TEXT, ["modelAliases", "fast"], "x")).toBe(
      TEXT.replace("] }\n", "] },\n").replace("so far\n", 'so far\n    "modelAliases": {\n        "fast": "x"\n    }\n'),
    );
  });

  test("adds it to an object on one line on that line", () => {
    expect(editJsonc(TEXT, ["permissions", "allow"], ["Read"])).toBe(TEXT.replace('] }', '], "allow": ["Read"] }'));
    expect(editJsonc('{"a": 1,}', ["b"], 2)).toBe('{"a": 1, "b": 2}');
  });

  test.each([
    ["", '{\n  "a": 1\n}\n'],
    ["// only a comment", '// only a comment\n{\n  "a": 1\n}\n'],
    ["{}", '{\n  "a": 1\n}'],
    ['{\n  "b": 2,\n}\n', '{\n  "b": 2,\n  "a": 1\n}\n'],
    ['{\r\n\t"b": 2\r\n}\r\n', '{\r\n\t"b": 2,\r\n\t"a": 1\r\n}\r\n'],
  ])("in %j makes %j", (before, after) => {
    expect(editJsonc(before, ["a"], 1)).toBe(after);
  });

  test("puts an object where something else stood in its way", () => {
    expect(editJsonc('{ "a": 1 }', ["a", "b"], 2)).toBe('{ "a": {\n  "b": 2\n} }');
  });
});

describe("adding to a list", () => {
  test.each([
    ["[]", '[\n    "x"\n  ]'],
    ['["a"]', '["a", "x"]'],
    ['["a", ]', '["a", "x" ]'],
    ['["x", "a"]', '["x", "a"]'],
    ['[\n    "a", // one\n    "b" // two\n  ]', '[\n    "a", // one\n    "b", // two\n    "x"\n  ]'],
    ['[\n    // none yet\n  ]', '[\n    // none yet\n    "x"\n  ]'],
    ["null", '[\n    "x"\n  ]'],
  ])("%s becomes %s", (before, after) => {
    expect(appendJsonc(`{\n  "list": ${before} // mine\n}`, ["list"], "x")).toBe(`{\n  "list": ${after} // mine\n}`);
  });

  test("makes the list where there is none", () => {
    expect(appendJsonc("", ["a", "b"], "x")).toBe('{\n  "a": {\n    "b": [\n      "x"\n    ]\n  }\n}\n');
  });
});

describe("taking a value out", () => {
  test.each([
    ["the only one", '{ "a": 1 }', "{ }"],
    ["the first", '{\n  "a": 1,\n  "b": 2\n}', '{\n  "b": 2\n}'],
    ["the last", '{\n  "b": 2,\n  "a": 1\n}', '{\n  "b": 2\n}'],
    ["one in the middle", '{ "b": 2, "a": 1, "c": 3 }', '{ "b": 2, "c": 3 }'],
    ["one that is not there", '{ "b": 2 }', '{ "b": 2 }'],
    ["one of an empty text", "// x", "// x"],
  ])("%s", (_which, before, after) => {
    expect(editJsonc(before, ["a"], undefined)).toBe(after);
  });

  test("keeps every comment, those with commas in them too", () => {
    const text = '{\n  // one, two\n  "a": 1 /* three, */ , // four\n  "b": 2\n}';
    expect(editJsonc(text, ["a"], undefined)).toBe('{\n  // one, two\n  /* three, */  // four\n  "b": 2\n}');
    expect(editJsonc(TEXT, ["model"], undefined)).toBe(TEXT.replace('"model": "haiku", ', ""));
  });
});

test("whatever is changed, the text stays valid and the value is there", () => {
  const texts = [TEXT, "", "{}", '{"a":{"b":1}}', '{\n"a": {\n}\n}', '{ "a": 1, /* x */ }', '{ /* c */ }', '{ // c\n }'];
  const paths = [["a"], ["a", "b"], ["model"], ["permissions", "deny"], ["x", "y", "z"]];
  for (const text of texts) {
    for (const path of paths) {
      const set = editJsonc(text, path, ["v", 1]);
      expect({ text, path, value: at(set, path) }).toEqual({ text, path, value: ["v", 1] });
      expect({ text, path, value: at(editJsonc(set, path, undefined), path) }).toEqual({ text, path, value: undefined });
    }
  }
});

function at(text: string, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], parseJsonc(text).value);
}
