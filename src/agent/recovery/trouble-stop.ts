import type { StopReason } from "../../core/agent.ts";
import type { Trouble } from "./decide-recovery.ts";
import { modelStop } from "./model-stop.ts";

/** The end of a loop by a trouble about which nothing can be done. */
export function troubleStop(trouble: Trouble): StopReason {
  if (trouble.type === "error") return modelStop(trouble.error);
  if (trouble.type === "refused") return trouble;
  return { type: "output_limit", message: `The model's reply is ${trouble.type}` };
}
