/** What the work of a run needs, loaded only when the run is on record and gets to it. */
export const loadAgentWork = () => import("./run-agent-root.ts");

/** What records a run, or makes it out of a recording. */
export const loadCassette = () => import("./cassette/open-cassette.ts");

/** What a settings file needs: a parser and a schema. Most runs have no such file. */
export const loadSettingsParser = () => import("./parse-settings.ts");

/** What a run of a plain command needs. */
export const loadShellWork = () => import("./start-shell-root.ts");
