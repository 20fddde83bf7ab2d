export { teammateKind } from "./kind.ts";
export type { TeammateDetail } from "./state.ts";
