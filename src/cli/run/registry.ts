/** The two ways to run. A launcher must not load what only the run itself needs. */
export const loadForegroundRun = () => import("../run-in-foreground.ts");
export const loadBackgroundRun = () => import("../run-in-background.ts");
