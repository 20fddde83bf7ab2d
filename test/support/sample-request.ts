import type { AgentWork, RunRequest } from "../../src/runtime/run-request.ts";

/** A request for a run of an agent in the background that may do everything. */
export function sampleRequest(cwd: string, work: Partial<AgentWork> = {}): RunRequest {
  return {
    work: {
      type: "agent",
      prompt: "conformance",
      model: "claude-test",
      permissionMode: "bypassPermissions",
      rules: [],
      turnsMax: 50,
      outputTokensMax: 1_000,
      apiAttemptsMax: 1,
      stopOnDenial: false,
      background: { onEnd: "wait", drainTimeoutMs: 10_000 },
      subagents: { depthMax: 3, countMax: 1_000, concurrencyMax: 32, isForkEnabled: false, isBackgroundEnabled: true },
      ...work,
    },
    cwd,
    directories: [cwd],
    isBackgrounded: true,
    outputBytesMax: 1_000_000,
    runOutputBytesMax: 10_000_000,
    warnings: [],
  };
}
