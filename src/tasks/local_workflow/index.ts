export { localWorkflowKind } from "./kind.ts";
export type { LocalWorkflowDetail } from "./state.ts";
