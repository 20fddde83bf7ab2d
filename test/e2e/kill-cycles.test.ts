import { expect, test } from "bun:test";
import { killCycles } from "../support/kill-cycles.ts";

test("two hundred runs that are killed while they work lose nothing that was acknowledged, and each task is announced once (V-241)", async () => {
  const { faults, inConversation, tasks } = await killCycles({ cycles: 200, atOnce: 4 });
  expect(faults).toEqual([]);
  // Otherwise there was little to lose.
  expect(inConversation).toBeGreaterThan(50);
  expect(tasks).toBeGreaterThan(50);
}, 60_000);
