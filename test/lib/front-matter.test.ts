import { describe, expect, test } from "bun:test";
import { FrontMatterError, parseFrontMatter } from "../../src/lib/front-matter.ts";

const read = (text: string) => {
  const { values, ...rest } = parseFrontMatter(text);
  return { values: Object.fromEntries(values), ...rest };
};

describe("values", () => {
  test("are those of YAML, with the lines of their keys and what comes after", () => {
    const matter = read("---\n# about\nname: x\ntools:\n  - Read\n  - Grep\n'a b': 1\nnote: |\n  two\n  lines\n---\n\nBody\n---\nmore\n");
    expect(matter.values).toEqual({ name: "x", tools: ["Read", "Grep"], "a b": 1, note: "two\nlines\n" });
    expect(["name", "tools", "a b", "note", "none"].map(matter.lineOf)).toEqual([3, 4, 7, 8, 1]);
    expect([matter.body, matter.bodyLine]).toEqual(["\nBody\n---\nmore\n", 12]);
    expect(matter.plainKeys).toEqual([]);
  });

  test("do not depend on the line ends and the mark at the start of the file", () => {
    const matter = read("\uFEFF---\r\nname: x\r\nlist: [a,\r\n  b]\r\n---\r\nOne\r\nTwo\r\n");
    expect(matter.values).toEqual({ name: "x", list: ["a", "b"] });
    expect(matter.body).toBe("One\nTwo\n");
    expect(matter.lineOf("list")).toBe(3);
  });

  test.each([
    ["Use when: a change is done. Examples: <example>user: \"x\"</example>\\n end"],
    ["*, all of them"],
    ["\"quoted\" and: more"],
    ["'it''s' so"],
    ["[a] and b"],
    ["@me"],
  ])("that are no YAML are their text: %s", (value) => {
    const matter = read(`---\nname: x\ndescription: ${value}\nmodel: opus\n---\nBody`);
    expect(matter.values).toEqual({ name: "x", description: value, model: "opus" });
    expect(matter.plainKeys).toEqual(["description"]);
  });

  test("of several lines that are no YAML are joined", () => {
    expect(read("---\nd: a: b\n  c: d\ne: 1\n---\n").values).toEqual({ d: "a: b c: d", e: 1 });
  });

  test("that refer to others work", () => {
    expect(read("---\na: &a [x, y]\nb: *a\n---\n").values).toEqual({ a: ["x", "y"], b: ["x", "y"] });
  });

  test("of nothing are none", () => {
    expect(read("---\n---\nBody").values).toEqual({});
    expect(read("---\n\n# only this\n---\nBody").values).toEqual({});
  });

  test("of keys that objects have are as any other", () => {
    expect([...parseFrontMatter("---\n__proto__: 1\nconstructor: 2\n---\n").values]).toEqual([["__proto__", 1], ["constructor", 2]]);
  });
});

describe("what cannot be read says where", () => {
  const bomb = ["a: &a [x,x,x,x,x,x,x,x,x]", ..."bcdefgh".split("").map((name, index) => `${name}: &${name} [${Array(9).fill(`*${"abcdefgh"[index]}`).join(",")}]`)];

  test.each([
    ["no front matter", "# Title\n", 1],
    ["an empty file", "", 1],
    ["a line above it", "\n---\na: 1\n---\n", 1],
    ["no end", "---\na: 1\n", 1],
    ["a key twice", "---\na: 1\nb: 2\na: 3\n---\n", 4],
    ["a line that is no field", "---\n\nhello\n---\n", 3],
    ["a list", "---\n- a\n---\n", 2],
    ["too deep a value", `---\nx: 1\na: ${"[".repeat(40)}${"]".repeat(40)}\n---\n`, 3],
    ["a cycle", "---\na: &a [*a]\n---\n", 2],
    ["more fields than anybody needs", `---\n${Array.from({ length: 201 }, (_, index) => `k${index}: 1`).join("\n")}\n---\n`, 202],
  ])("%s", (_what, text, line) => {
    let thrown: unknown;
    try {
      parseFrontMatter(text);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(FrontMatterError);
    expect((thrown as FrontMatterError).line).toBe(line);
  });

  test.each([
    ["aliases of aliases", bomb.join("\n")],
    ["merged aliases", `a: &a {k: 1}\n${Array.from({ length: 20 }, (_, index) => `m${index}: &m${index}\n  <<: [${Array(9).fill(index === 0 ? "*a" : `*m${index - 1}`).join(",")}]`).join("\n")}`],
    ["a hundred thousand brackets", `a: ${"[".repeat(100_000)}`],
    ["many keys", Array.from({ length: 10_000 }, (_, index) => `k${index}: 1`).join("\n")],
    ["a long list", `a: [${"x,".repeat(50_000)}x]`],
  ])("%s end soon, one way or the other", (_what, yaml) => {
    const startedAt = performance.now();
    let size = 0;
    try {
      size = JSON.stringify([...parseFrontMatter(`---\n${yaml}\n---\n`).values]).length;
    } catch (error) {
      expect(error).toBeInstanceOf(FrontMatterError);
    }
    expect(size).toBeLessThan(1_000_000);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});
