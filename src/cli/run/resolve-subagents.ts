import { AppError } from "../../core/errors.ts";
import { isBackgroundDisabled } from "../../core/background-switch.ts";
import { DEFAULT_SETTINGS } from "../../core/default-settings.ts";
import { depthIn } from "../../engine/task-mark.ts";
import type { SubagentLimits } from "../../runtime/run-request.ts";
import type { ArgumentValues } from "../command.ts";
import { countFlag } from "../flag-values.ts";
import type { RUN_ARGUMENTS } from "./arguments.ts";

/** More streams at once than one process can hold with all services. */
const CONCURRENCY_MAX = 200;

/**
 * How many agents a run may start, and how. What another run's agent has started by a command counts as nested in it.
 *
 * Throws an `AppError` of reason `usage` for a value that cannot be, and of reason `failed` where agents are nested as deep
 * already as they may.
 *
 * Forks are off unless asked for: with them every agent works in the background, and a run without a person at it is
 * easier to follow when the answer of an agent is the result of the call that started it.
 */
export function resolveSubagents(
  values: Pick<ArgumentValues<typeof RUN_ARGUMENTS>, "max-depth" | "max-agents" | "max-concurrency">,
  env: Readonly<Record<string, string | undefined>>,
): SubagentLimits {
  const concurrencyMax = countFlag("--max-concurrency", values["max-concurrency"]) ?? DEFAULT_SETTINGS.agentConcurrencyMax;
  if (concurrencyMax > CONCURRENCY_MAX) throw new AppError("usage", `Cannot use "${concurrencyMax}" for --max-concurrency: it takes 1 to ${CONCURRENCY_MAX}`, { code: "bad_value" });
  const depthMax = values["max-depth"] === "0" ? 0 : (countFlag("--max-depth", values["max-depth"]) ?? DEFAULT_SETTINGS.agentDepthMax);
  const depth = depthIn(env);
  if (depth > depthMax) {
    throw new AppError("failed", `Cannot run an agent: the one that does so is nested ${depth - 1} deep already, which is the most; --max-depth allows more. Do not try again: do the work yourself`, { code: "depth_limit" });
  }
  return {
    depthMax: depthMax - depth,
    countMax: values["max-agents"] === "0" ? 0 : (countFlag("--max-agents", values["max-agents"]) ?? DEFAULT_SETTINGS.agentCountMax),
    concurrencyMax,
    isForkEnabled: isOn(env["AGENT_FORK_SUBAGENTS"]),
    isBackgroundEnabled: !isBackgroundDisabled(env),
  };
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && !["", "0", "false", "off", "no"].includes(value.toLowerCase());
}
