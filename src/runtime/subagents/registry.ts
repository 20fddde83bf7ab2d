/** What starts agents within a run: most runs start none. */
export const loadSubagents = () => import("./launch-agent.ts");
