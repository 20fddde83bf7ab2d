/** Compile-time constants. build.ts sets them with `define`; bunfig.toml gives them to `bun run` and `bun test`. */

/** Whether the `local_workflow` task kind is in this executable. */
declare const WORKFLOW_SCRIPTS: boolean;
/** Whether the `monitor_mcp` task kind is in this executable. */
declare const MONITOR_TOOL: boolean;

/** Text kept beside the code that uses it; imported with `{ type: "text" }`. */
declare module "*.md" {
  const text: string;
  export default text;
}
