import { describe, expect, test } from "bun:test";
import type { ModelEvent } from "../../../src/model/client.ts";
import { redactReply } from "../../../src/runtime/cassette/redact-reply.ts";
import { createRedactor } from "../../../src/runtime/cassette/redact.ts";

const redactor = createRedactor({ ANTHROPIC_API_KEY: "key-of-the-user", AGENT_REDACT_ENV: "DB_PASSWORD, SHORT,MISSING", DB_PASSWORD: 'pass"word\n1', SHORT: "abc", OTHER: "not-a-secret" });

// Put together here, so that no scanner takes the test for a leak.
const SHAPES = {
  "anthropic-key": `sk-ant-${"a1_-".repeat(8)}`,
  "github-token": `ghp_${"a1B2".repeat(9)}`,
  "gitlab-token": `glpat-${"a1B2".repeat(5)}`,
  "slack-token": `xoxb-${"1234-abcd".repeat(3)}`,
  "aws-key": `AKIA${"ABCD".repeat(4)}`,
  "private-key": `-----BEGIN RSA PRIVATE KEY-----\n${"QUJD".repeat(20)}\n-----END RSA PRIVATE KEY-----`,
};

describe("a secret becomes a mark", () => {
  test("by the value of a credential or of a variable that is named", () => {
    expect(redactor.text("a key-of-the-user, key-of-the-user! not-a-secret abc")).toBe("a [redacted:ANTHROPIC_API_KEY], [redacted:ANTHROPIC_API_KEY]! not-a-secret abc");
    expect(redactor.text('pass"word\n1')).toBe("[redacted:DB_PASSWORD]");
    expect(redactor.text(JSON.stringify({ password: 'pass"word\n1' }))).toBe('{"password":"[redacted:DB_PASSWORD]"}');
  });

  test.each(Object.entries(SHAPES))("by its shape: %s", (name, secret) => {
    expect(redactor.text(`before ${secret} after`)).toBe(`before [redacted:${name}] after`);
    expect(redactor.text(JSON.stringify(secret))).toBe(`"[redacted:${name}]"`);
  });

  test("where a key has no end", () => {
    expect(redactor.text(`x -----BEGIN PRIVATE KEY-----\n${"QUJD".repeat(20)}`)).toBe("x [redacted:private-key]");
  });

  test("in member names and deep inside, and a second time changes nothing", () => {
    const once = redactor.value({ "key-of-the-user": [1, null, { a: "key-of-the-user" }] });
    expect(once).toEqual({ "[redacted:ANTHROPIC_API_KEY]": [1, null, { a: "[redacted:ANTHROPIC_API_KEY]" }] } as never);
    expect(redactor.value(once)).toEqual(once);
  });

  test("of which no part stays where two overlap", () => {
    const both = createRedactor({ AGENT_REDACT_ENV: "A,B", A: "abcdefgh", B: "efghijkl" });
    expect(both.text("-abcdefghijkl-")).toBe("-[redacted:A]-");
  });
});

describe("a text in pieces", () => {
  test.each([1, 2, 5, 100])("of %i characters holds no part of a secret", (size) => {
    const text = "say key-of-the-user twice: key-of-the-user.";
    const pieces = text.match(new RegExp(`.{1,${size}}`, "g")) ?? [];
    const redacted = redactor.pieces(pieces);
    expect(redacted).toHaveLength(pieces.length);
    expect(redacted.join("")).toBe("say [redacted:ANTHROPIC_API_KEY] twice: [redacted:ANTHROPIC_API_KEY].");
  });

  test("of a reply is found across deltas of its block alone", () => {
    const delta = (index: number, text: string): ModelEvent => ({ type: "block_delta", index, delta: { type: "text_delta", text } });
    const events = [delta(0, "key-of-"), delta(1, "the-user"), delta(0, "the-user ok")];
    expect(redactReply(events, redactor)).toEqual([delta(0, "[redacted:ANTHROPIC_API_KEY]"), delta(1, "the-user"), delta(0, " ok")]);
  });
});
