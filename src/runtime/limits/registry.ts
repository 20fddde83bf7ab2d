/** What keeps account of a budget, and what notices silence: most runs have neither. */
export const loadRunBudget = () => import("./open-run-budget.ts");
export const loadSilenceWatch = () => import("./watch-silence.ts");
