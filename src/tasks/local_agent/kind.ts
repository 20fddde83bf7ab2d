import { stopEffect } from "../../engine/running-effect.ts";
import type { TaskKind } from "../task-kind.ts";
import { localAgentDetailSchema } from "./state.ts";

export const localAgentKind: TaskKind = {
  type: "local_agent",
  name: "local agent",
  detailSchema: localAgentDetailSchema,
  kill: stopEffect,
};
