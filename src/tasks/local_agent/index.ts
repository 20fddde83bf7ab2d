export { localAgentKind } from "./kind.ts";
export type { LocalAgentDetail } from "./state.ts";
