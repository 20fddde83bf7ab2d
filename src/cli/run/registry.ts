/** The two ways to run. A launcher must not load what only the run itself needs. */
export const loadEphemeralRun = () => import("./ephemeral.ts");
export const loadForegroundRun = () => import("./foreground.ts");
/** Only a run that goes on with a conversation looks into the state before it starts. */
export const loadResume = () => import("./resolve-resume.ts");
export const loadBackgroundRun = () => import("./background.ts");
