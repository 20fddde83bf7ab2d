/** The two ways to run. A launcher must not load what only the run itself needs. */
export const loadEphemeralRun = () => import("./ephemeral.ts");
export const loadForegroundRun = () => import("./foreground.ts");
/** Only a run that goes on with a conversation looks into the state before it starts. */
export const loadResume = () => import("./resolve-resume.ts");
/** Only a run that is an agent of its own reads definitions. */
export const loadAgentChoice = () => import("./resolve-agent.ts");
/** Only a run that owes an answer of a given form reads schemas. */
export const loadOutputSchema = () => import("./read-output-schema.ts");
export const loadBackgroundRun = () => import("./background.ts");
