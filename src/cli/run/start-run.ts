import type { ExitCode } from "../../core/exit-code.ts";
import { loadBackgroundRun, loadEphemeralRun, loadForegroundRun } from "./registry.ts";
import type { RunInput } from "./arguments.ts";
import { resolveRunRequest } from "./resolve-request.ts";

/** Does what a command line of `agent run` asks for, in the foreground or in the background. */
export async function startRun(input: RunInput): Promise<ExitCode> {
  const resolved = await resolveRunRequest(input);
  if (resolved.request.isBackgrounded) return await (await loadBackgroundRun()).runInBackground(resolved, input.io);
  if (input.values.ephemeral === true) return await (await loadEphemeralRun()).runEphemerally(resolved, input.io);
  return await (await loadForegroundRun()).runInForeground(resolved, input.io);
}
