import { stopEffect } from "../../engine/running-effect.ts";
import type { TaskKind } from "../task-kind.ts";
import { remoteAgentDetailSchema } from "./state.ts";

/**
 * An agent that works on another machine; the task here follows it.
 *
 * Nothing starts one yet; records of the kind can be read and stopped.
 */
export const remoteAgentKind: TaskKind = {
  type: "remote_agent",
  name: "remote agent",
  detailSchema: remoteAgentDetailSchema,
  kill: stopEffect,
};
