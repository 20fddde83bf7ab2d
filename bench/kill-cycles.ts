import { killCycles as runCycles } from "../test/support/kill-cycles.ts";
import type { Measurement } from "./measurement.ts";

const CYCLES = 2_000;
const AT_ONCE = 4;
const FAULTS_SHOWN_MAX = 10;

/** Runs that are killed with `kill -9` while they work, and conversations that go on all the same. */
export const killCycles: Measurement = async ({ programs, amount = CYCLES }) => {
  const startedAt = performance.now();
  const { cycles, inConversation, tasks, faults } = await runCycles({ cycles: amount, atOnce: AT_ONCE, program: programs.agent });
  const seconds = (performance.now() - startedAt) / 1_000;
  for (const fault of faults.slice(0, FAULTS_SHOWN_MAX)) console.error(fault);
  return [
    {
      what: `faults after ${cycles} kills: something lost, announced twice or never, left alive, or not to be resumed`,
      value: faults.length,
      atMost: 0,
      digits: 0,
      note: `${inConversation} in conversation, ${tasks} tasks in the background, ${(cycles / seconds).toFixed(1)} a second`,
    },
  ];
};
