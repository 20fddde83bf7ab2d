export { dreamKind } from "./kind.ts";
export type { DreamDetail } from "./state.ts";
