export { localAgentKind } from "./kind.ts";
export type { LocalAgentDetail } from "./state.ts";
export type { AgentEnd, AgentLauncher, AgentMessage, AgentStart, SentMessage, StartedAgent } from "./agent-launcher.ts";
