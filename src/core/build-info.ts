/**
 * What this executable was built from, for which platform and with which parts. For showing only: a part is left out of
 * a build where a registry names its flag, never by a look at these values.
 */
export const BUILD_INFO = {
  version: AGENT_VERSION,
  commit: AGENT_COMMIT,
  target: AGENT_TARGET,
  flags: { WORKFLOW_SCRIPTS, MONITOR_TOOL },
} as const;
