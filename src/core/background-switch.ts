/** The switch that makes everything wait for what it starts. */
const SWITCH = "AGENT_DISABLE_BACKGROUND_TASKS";

/** Whether nothing may go on beside what started it. */
export function isBackgroundDisabled(env: Readonly<Record<string, string | undefined>>): boolean {
  return !["", "0", "false", "no", "off"].includes((env[SWITCH] ?? "").toLowerCase());
}
