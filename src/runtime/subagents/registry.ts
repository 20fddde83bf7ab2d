/** What starts agents within a run: most runs start none. */
export const loadSubagents = () => import("./launch-agent.ts");
/** Only an agent whose definition names servers starts any. */
export const loadAgentServers = () => import("./agent-servers.ts");
