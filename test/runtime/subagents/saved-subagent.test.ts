import { expect, test } from "bun:test";
import { readSavedSubagent, savedSubagent, type SavedSubagent } from "../../../src/runtime/subagents/saved-subagent.ts";
import type { TranscriptEntry } from "../../../src/store/transcript-entry.ts";

const SAVED: SavedSubagent = {
  role: "fork",
  agentType: "fork",
  model: "some-model",
  permissionMode: "acceptEdits",
  depth: 2,
  cwd: "/work",
  directories: ["/work", "/more"],
  system: ["one", "two"],
  toolNames: ["Bash", "Read"],
  turnsMax: 3,
  timeoutMs: 4_000,
  budget: { usd: 0.5, tokens: 100 },
  modeMax: "plan",
  thinking: 2_048,
};

/** The line as it comes back from disk. */
function entry(fields: Readonly<Record<string, unknown>>): TranscriptEntry {
  return JSON.parse(JSON.stringify({ type: "system", subtype: "agent_started", uuid: "u", parentUuid: null, sessionId: "s", agentId: "a", isSidechain: true, timestamp: "t", ...fields })) as TranscriptEntry;
}

/** What it was to do. */
const ASKED = entry({ type: "user", subtype: undefined });

test("what is kept of a subagent comes back as it was, what is absent as absent", () => {
  expect(readSavedSubagent([entry(savedSubagent(SAVED)), ASKED])).toEqual(SAVED);
  const least = { ...SAVED, turnsMax: undefined, timeoutMs: undefined, budget: undefined, modeMax: undefined, thinking: undefined };
  expect(readSavedSubagent([entry(savedSubagent(least)), ASKED])).toEqual(least);
});

test("the latest attempt counts", () => {
  expect(readSavedSubagent([entry(savedSubagent(SAVED)), entry(savedSubagent({ ...SAVED, depth: 1 })), ASKED, entry({ subtype: "call_intent" })])?.depth).toBe(1);
});

test.each(["role", "agentType", "model", "permissionMode", "depth", "cwd", "directories", "system", "toolNames"])("without a readable %s nothing is known", (field) => {
  expect(readSavedSubagent([entry({ ...savedSubagent(SAVED), [field]: null }), ASKED])).toBeUndefined();
});

test("of a transcript that no attempt has begun nothing is known", () => {
  expect([readSavedSubagent([]), readSavedSubagent([entry({ subtype: "run_started" }), ASKED])]).toEqual([undefined, undefined]);
});

test("of an agent that ended before it was told what to do nothing is known", () => {
  expect(readSavedSubagent([entry(savedSubagent(SAVED))])).toBeUndefined();
});
