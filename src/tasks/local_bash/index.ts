export { describeExit } from "./ending.ts";
export { localBashKind } from "./kind.ts";
export { startShell } from "./start.ts";
export type { ForegroundOutcome, ShellTask } from "./shell-task.ts";
export type { StartShellOptions } from "./start-options.ts";
export type { LocalBashDetail } from "./state.ts";
