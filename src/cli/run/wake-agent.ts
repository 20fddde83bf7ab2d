import type { TaskId } from "../../core/task.ts";
import { launchBackgroundRun } from "../../runtime/launch-background-run.ts";
import type { RunRequest } from "../../runtime/run-request.ts";
import type { CliIo } from "../command.ts";
import { createLog, logLevelOf } from "../log.ts";
import { parseArguments } from "../parse-arguments.ts";
import { RUN_ARGUMENTS } from "./arguments.ts";
import { resolveRunRequest } from "./resolve-request.ts";

/** A run that is to wake an agent, with everything checked that can be checked before it starts. */
export interface AgentWaking {
  /** Starts it in the background; resolves when it is on record. Rejects as `launchBackgroundRun`. */
  launch(): Promise<void>;
}

/**
 * Prepares the next attempt of an agent that has ended, as `agent resume -d` would, for what waits for it on record.
 * Rejects as `resolveRunRequest` does.
 */
export async function prepareWaking(id: TaskId, io: CliIo): Promise<AgentWaking> {
  const { request } = await resolveRunRequest({ values: flagsOf(id, io), afterTerminator: undefined, io });
  return {
    async launch() {
      const log = createLog(io.stderr, { level: logLevelOf(io.env) });
      for (const warning of request.warnings) log.warn(warning);
      await launchBackgroundRun({ request: withoutPrompt(request), env: io.env, onMessage: (text) => void io.stderr.write(text) });
    },
  };
}

function flagsOf(id: TaskId, io: CliIo) {
  // Whoever sends a message does not decide how the agent works.
  const env = { ...io.env, ...Object.fromEntries(KEPT_ON_RECORD.map((flag) => [RUN_ARGUMENTS[flag].env, undefined])) };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the values were made by the table itself
  return parseArguments("run", RUN_ARGUMENTS, ["--background", "--resume", id], env).values as never;
}

/** The flags whose values stand in the transcript. */
const KEPT_ON_RECORD = ["model", "thinking", "permission-mode", "fallback-model", "idle-timeout", "max-budget-usd", "max-tokens", "max-tool-calls", "task-budget", "wait-for-limit"] as const;

function withoutPrompt(request: RunRequest): RunRequest {
  return request.work.type === "agent" ? { ...request, work: { ...request.work, prompt: "" } } : request;
}
