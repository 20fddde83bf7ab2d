/** Load what takes commands apart and what decides about them: with the first command. */
export const loadCommandAnalysis = () => import("./shell/analyze-command.ts");
export const loadCommandJudge = () => import("./decide-command.ts");
