export { localWorkflowKind } from "./kind.ts";
export { startWorkflow } from "./start.ts";
export type { LocalWorkflowDetail } from "./state.ts";
