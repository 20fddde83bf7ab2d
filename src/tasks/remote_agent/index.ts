export { remoteAgentKind } from "./kind.ts";
export type { RemoteAgentDetail } from "./state.ts";
