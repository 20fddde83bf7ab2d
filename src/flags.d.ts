/** Compile-time constants. build.ts sets them with `define`; bunfig.toml gives them to `bun run` and `bun test`. */

/** Whether the `local_workflow` task kind is in this executable. */
declare const WORKFLOW_SCRIPTS: boolean;
/** Whether the `monitor_mcp` task kind is in this executable. */
declare const MONITOR_TOOL: boolean;
/**
 * Whether the process can be told to crash at a given step, and to believe in another time: for builds that test this
 * program. Written only as `if (TEST_HOOKS) …` and `TEST_HOOKS ? … : …`; every other form keeps the code.
 */
declare const TEST_HOOKS: boolean;

/** The version in package.json. */
declare const AGENT_VERSION: string;
/** The git commit, with "-dirty" behind it where the tree held changes; "unknown" outside a repository. */
declare const AGENT_COMMIT: string;
/** The platform the executable was built for: "bun-linux-x64" … */
declare const AGENT_TARGET: string;

/** Text kept beside the code that uses it; imported with `{ type: "text" }`. */
declare module "*.md" {
  const text: string;
  export default text;
}

declare module "*.sh" {
  const text: string;
  export default text;
}

/** A program that is embedded in the executable; imported with `{ type: "file" }`. */
declare module "*/bin/rg" {
  const path: string;
  export default path;
}
