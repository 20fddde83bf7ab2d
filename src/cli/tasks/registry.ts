/** Only a message to an agent that has ended starts a run, and needs what that takes. */
export const loadWaking = () => import("../run/wake-agent.ts");
