export { monitorMcpKind } from "./kind.ts";
export { startMonitor } from "./start.ts";
export type { MonitorMcpDetail } from "./state.ts";
