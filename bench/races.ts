import { raceOutputs } from "../test/support/output-races.ts";
import type { Measurement } from "./measurement.ts";

const OUTPUTS = 100_000;

/** Outputs that are made while another process plants links, pipes and folders and swaps their folder. */
export const races: Measurement = async () => {
  const { made, refused, trapped, isVictimUnchanged, misread } = await raceOutputs(OUTPUTS);
  return [
    { what: `of ${OUTPUTS} raced outputs, those that left their folder`, value: trapped, atMost: 0, digits: 0, note: `${made} made, ${refused} refused` },
    { what: "files of others that were changed by it", value: isVictimUnchanged ? 0 : 1, atMost: 0, digits: 0 },
    { what: "outputs that read as something else", value: misread, atMost: 0, digits: 0 },
  ];
};
