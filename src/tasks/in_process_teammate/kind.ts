import { stopEffect } from "../../engine/running-effect.ts";
import type { TaskKind } from "../task-kind.ts";
import { teammateDetailSchema } from "./state.ts";

/**
 * A named agent of a team, in the process of its leader, that stays for more than one piece of work.
 *
 * Nothing starts one yet; records of the kind can be read and stopped.
 */
export const teammateKind: TaskKind = {
  type: "in_process_teammate",
  name: "teammate",
  detailSchema: teammateDetailSchema,
  kill: stopEffect,
};
