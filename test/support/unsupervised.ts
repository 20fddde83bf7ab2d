import type { Supervision } from "../../src/core/supervision.ts";

/** Marks and adopts nothing: a test must not become the parent of what another one lost. */
export const UNSUPERVISED: Supervision = {
  newMark: () => undefined,
  start: (start) => start(),
  adopter: () => undefined,
};
