import { stopEffect } from "../../engine/running-effect.ts";
import type { TaskKind } from "../task-kind.ts";
import { dreamDetailSchema } from "./state.ts";

/**
 * A read-only look back at finished work while nothing else is to do; it ends in proposals.
 *
 * Nothing starts one yet; records of the kind can be read and stopped.
 */
export const dreamKind: TaskKind = {
  type: "dream",
  name: "dream",
  detailSchema: dreamDetailSchema,
  kill: stopEffect,
};
