/** Load what most runs never need: when something goes wrong, and when a conversation gets long. */
export const loadRecovery = () => import("./recovery/recover.ts");
export const loadCompaction = () => import("./compaction/keep-loop-context.ts");
