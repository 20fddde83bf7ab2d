/** The version of the cassette format. Additive changes keep it. */
export const CASSETTE_VERSION = 1;

/** What a run does with a cassette. */
export interface CassetteUse {
  readonly mode: "record" | "replay";
  /** Absolute path. */
  readonly path: string;
}

/** Where an agent stands in its run: the root, or by numbers below it, as `root/2/1`. Its part of a cassette goes by it. */
export type AgentPath = "root" | `root/${string}`;
