import { stopEffect } from "../../engine/running-effect.ts";
import type { TaskKind } from "../task-kind.ts";
import { localBashDetailSchema } from "./state.ts";

/** A command of the shell, or a program, with its output in a file. */
export const localBashKind: TaskKind = {
  type: "local_bash",
  name: "shell",
  detailSchema: localBashDetailSchema,
  kill: stopEffect,
};
