import { stopEffect } from "../../engine/running-effect.ts";
import type { TaskKind } from "../task-kind.ts";
import { localWorkflowDetailSchema } from "./state.ts";

/**
 * A script that starts agents and commands in an order of its own.
 *
 * Nothing starts one yet; records of the kind can be read and stopped.
 */
export const localWorkflowKind: TaskKind = {
  type: "local_workflow",
  name: "workflow",
  detailSchema: localWorkflowDetailSchema,
  kill: stopEffect,
};
