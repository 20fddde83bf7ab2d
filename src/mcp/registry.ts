/** What speaks to servers, loaded with the first agent that has one. */
export const loadMcpServers = () => import("./connect-servers.ts");
