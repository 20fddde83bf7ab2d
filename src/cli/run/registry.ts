/** The two ways to run. A launcher must not load what only the run itself needs. */
export const loadForegroundRun = () => import("./foreground.ts");
export const loadBackgroundRun = () => import("./background.ts");
