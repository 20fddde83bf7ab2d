import { readFileSync } from "node:fs";

/**
 * Milliseconds since the epoch, shifted by the number of milliseconds that stands in the file which `AGENT_TEST_CLOCK`
 * names. Whoever writes another number there makes the clock jump.
 */
export function shiftedNow(): number {
  const file = process.env["AGENT_TEST_CLOCK"];
  return Date.now() + (file === undefined ? 0 : Number(readFileSync(file, "utf8")));
}
