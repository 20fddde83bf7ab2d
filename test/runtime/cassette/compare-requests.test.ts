import { describe, expect, test } from "bun:test";
import { userText } from "../../../src/core/message.ts";
import { requestDifference, type AskedRequest } from "../../../src/runtime/cassette/compare-requests.ts";
import { createLooseComparison } from "../../../src/runtime/cassette/loose-text.ts";
import { requestLine, requestOfLine } from "../../../src/runtime/cassette/request-line.ts";

const HERE = { cwd: "/home/ann/project", home: "/home/ann", tmp: "/tmp" };
const THERE = { cwd: "/srv/build", home: "/var/lib/ci", tmp: "/var/tmp" };

const asked = (changes: Partial<AskedRequest> = {}): AskedRequest => ({
  model: "some-model",
  system: ["identity", "# Environment\n- Working directory: /home/ann/project\n- Platform: linux\n- Date: 2026-01-01"],
  tools: [{ name: "Read", description: "reads", input_schema: { type: "object" } }],
  messages: [userText("fix it")],
  maxOutputTokens: 1_000,
  ...changes,
});

const difference = (recorded: AskedRequest, now: AskedRequest) => requestDifference(recorded, now, createLooseComparison(HERE, THERE, (text) => text.replace("hunter2", "[redacted:PASSWORD]")));

describe("counts as the same", () => {
  test("in another place, on another day, on another system", () => {
    const now = asked({ system: ["identity", "# Environment\n- Working directory: /srv/build\n- Platform: darwin\n- Date: 2027-12-31"], messages: [userText("fix it")] });
    expect(difference(asked(), now)).toBeUndefined();
  });

  test("a path below the working directory, the home or the temporary directory, also one of the recording", () => {
    const one = asked({ messages: [userText("see /home/ann/project/a.ts, /home/ann/.config and /tmp/x.")] });
    expect(difference(one, asked({ messages: [userText("see /srv/build/a.ts, /var/lib/ci/.config and /var/tmp/x.")] }))).toBeUndefined();
    expect(difference(one, one)).toBeUndefined();
  });

  test("a secret that the replay lacks, has, or has otherwise", () => {
    const recorded = asked({ messages: [userText("log in with [redacted:PASSWORD] now")] });
    for (const password of ["[redacted:PASSWORD]", "hunter2", "something else"]) {
      expect(difference(recorded, asked({ messages: [userText(`log in with ${password} now`)] }))).toBeUndefined();
    }
    expect(difference(recorded, asked({ messages: [userText("log in with  now")] }))).toContain("messages[0].content[0].text");
    expect(difference(recorded, asked({ messages: [userText("log in with x then")] }))).toContain("messages[0].content[0].text");
  });
});

describe("is a difference, named by its path with both values", () => {
  test.each<[string, Partial<AskedRequest>]>([
    ['model: recorded "some-model", now "other"', { model: "other" }],
    ["maxOutputTokens: recorded 1000, now 5", { maxOutputTokens: 5 }],
    ["isWhole: recorded nothing, now true", { isWhole: true }],
    ['tools[0].description: recorded "reads", now "writes"', { tools: [{ name: "Read", description: "writes", input_schema: { type: "object" } }] }],
    ['tools[1]: recorded nothing, now {"name":"B","description":"b","input_schema":{}}', { tools: [...asked().tools, { name: "B", description: "b", input_schema: {} }] }],
    ['messages[0].content[0].text: recorded "fix it", now "fix that"', { messages: [userText("fix that")] }],
    ["messages[1]: recorded nothing, now", { messages: [userText("fix it"), userText("more")] }],
    ["a name that only begins like the directory", { messages: [userText("/home/ann/project-2")] }],
  ])("%s", (expected, changes) => {
    const found = difference(asked(), asked(changes));
    expect(found).toBeDefined();
    if (!expected.startsWith("a name")) expect(found).toContain(expected);
  });

  test("another directory that was added", () => {
    const now = asked({ system: ["identity", "# Environment\n- Working directory: /srv/build\n- Also yours to work in: /data\n- Platform: linux\n- Date: 2026-01-01"] });
    expect(difference(asked(), now)).toMatch(/^system\[1\]: recorded .*, now .*Also yours to work in: \/data/);
  });

  test("of a long text only around where it differs", () => {
    const long = "x".repeat(5_000);
    const found = difference(asked({ messages: [userText(`${long}A${long}`)] }), asked({ messages: [userText(`${long}B${long}`)] })) ?? "";
    expect(found.length).toBeLessThan(450);
    expect(found).toMatch(/recorded "…x{40}Ax+…", now "…x{40}Bx+…"/);
  });

  test("of the project's instructions by the files that they come from", () => {
    const quoted = (text: string) => userText(`<project-instructions file="AGENTS.md">\n${text}\n</project-instructions>`);
    expect(difference(asked({ messages: [quoted("tabs")] }), asked({ messages: [quoted("spaces")] }))).toContain("(the project instructions in AGENTS.md and CLAUDE.md)");
  });
});

test("a line holds only what is new in a request, and gives it back", () => {
  const first = asked();
  const second = asked({ messages: [...first.messages, userText("more")], maxOutputTokens: 7 });
  const line = requestLine(second, first);
  expect(line).toEqual({ type: "request", model: "some-model", maxOutputTokens: 7, messages: { kept: 1, added: [userText("more")] } });
  expect(requestOfLine(line, first)).toEqual(second);
  expect(requestOfLine(requestLine(first, undefined), undefined)).toEqual(first);
  expect(requestOfLine(line, undefined)).toBeUndefined();
});
