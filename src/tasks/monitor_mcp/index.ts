export { monitorMcpKind } from "./kind.ts";
export type { MonitorMcpDetail } from "./state.ts";
