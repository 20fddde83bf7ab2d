import { expect, test } from "bun:test";
import { raceOutputs } from "../support/output-races.ts";

test("2,000 outputs against a process that plants links, pipes and folders and swaps the folder: none leaves it (A06, V-204, V-205, V-208)", async () => {
  const { made, refused, ...harm } = await raceOutputs(2_000);
  expect(harm).toEqual({ trapped: 0, isVictimUnchanged: true, misread: 0 });
  expect(made + refused).toBe(2_000);
  expect(made).toBeGreaterThan(200);
}, 60_000);
