/** What holds where no flag, variable or configuration file says otherwise. There is no time limit then. */
export const DEFAULT_SETTINGS = {
  permissionMode: "default",
  turnsMax: 500,
  outputBytesMax: 64 * 1_048_576,
  runOutputBytesMax: 1_024 * 1_048_576,
  outputTokensMax: 32_000,
  apiAttemptsMax: 5,
  /** How deep agents may be nested. */
  agentDepthMax: 3,
  /** How many agents a run starts in all. */
  agentCountMax: 1_000,
  /** How many replies arrive at once in a run. */
  agentConcurrencyMax: 32,
} as const;
