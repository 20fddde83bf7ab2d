/** What reads definitions from files: most runs have none. */
export const loadDefinitionLoader = () => import("./load-agent-definitions.ts");
