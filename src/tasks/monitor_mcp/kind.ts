import { stopEffect } from "../../engine/running-effect.ts";
import type { TaskKind } from "../task-kind.ts";
import { monitorMcpDetailSchema } from "./state.ts";

/**
 * A watch on a resource of an MCP server that tells its agent about every change.
 *
 * Nothing starts one yet; records of the kind can be read and stopped.
 */
export const monitorMcpKind: TaskKind = {
  type: "monitor_mcp",
  name: "monitor",
  detailSchema: monitorMcpDetailSchema,
  kill: stopEffect,
};
